#include "src/backend/catalog/deletion_plan.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include "hathi/error/report.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {

namespace {

constexpr int kMostReported = 100;

// The path of objects from an original one to where the search is.
struct Step {
  const ObjectAddress* object;
  unsigned flags;
  Step* previous;
};

struct Found { ObjectAddress object; unsigned flags; };

// The search follows chains of any length, so its frames are kept here and not on the stack.
struct Frame {
  ObjectAddress object;
  Step here;                                 // points to object
  std::vector<Found> next;                   // to be visited
  std::size_t visited = 0;
  std::optional<ObjectAddress> partition;    // what it is a part of
  bool is_detour = false;                    // a part that sent the search to its whole

  // The path of what is visited from here.
  Step* path() { return is_detour ? here.previous : &here; }
};

class Planner {
 public:
  Planner(const std::vector<ObjectAddress>& objects, const DependencySource& source) : objects_(objects), source_(source) {}
  std::vector<Deletion> run() {
    for (const ObjectAddress& object : objects_) {
      if (source_.lock(object)) search(object);
    }
    return std::move(plan_);
  }

 private:
  // Is it, or the whole it is a part of, on the path already? Then it gets these flags too.
  static bool on_path(const ObjectAddress& object, unsigned flags, Step* path) {
    for (Step* step = path; step != nullptr; step = step->previous) {
      if (object.class_id != step->object->class_id || object.object != step->object->object) continue;
      if (object.sub == step->object->sub) {
        step->flags |= flags;
        return true;
      }
      if (step->object->sub == 0) return true;  // the whole goes anyway
    }
    return false;
  }
  static std::uint64_t key_of(const ObjectAddress& object) { return static_cast<std::uint64_t>(raw(object.class_id)) << 32 | raw(object.object); }
  bool planned(const ObjectAddress& object, unsigned flags) {
    bool found = false;
    auto [first, last] = places_.equal_range(key_of(object));
    for (auto place = first; place != last; ++place) {
      Deletion& d = plan_[place->second];
      if (object.class_id != d.object.class_id || object.object != d.object.object) continue;
      if (object.sub == d.object.sub) {
        d.flags |= flags;
        found = true;
      } else if (d.object.sub == 0) {
        found = true;
      } else if (object.sub == 0) {
        // The whole is about to come after one of its parts: the part needs no report of its own.
        d.flags |= flags & (kDeleteOriginal | kDeleteAutomatic | kDeleteInternal);
      }
    }
    return found;
  }
  bool is_original(const ObjectAddress& object) const {
    return std::any_of(objects_.begin(), objects_.end(), [&](const ObjectAddress& o) {
      return o.class_id == object.class_id && o.object == object.object && (o.sub == object.sub || o.sub == 0);
    });
  }

  struct Owners { std::optional<ObjectAddress> owner, partition; bool is_part = false; };
  // What the object is an internal part of, unless the search comes from there.
  Owners owners_of(const ObjectAddress& object, Step* path) {
    Owners owners;
    for (const DependencyEdge& edge : source_.references(object)) {
      // A column's dependency on its own table says nothing.
      if (edge.other.class_id == object.class_id && edge.other.object == object.object && object.sub == 0) continue;
      switch (edge.kind) {
        case 'i':
        case 'e':
          if (path == nullptr) {
            if (!is_original(edge.other)) owners.owner = edge.other;
          } else if (!on_path(edge.other, 0, path)) {
            owners.owner = edge.other;
          }
          break;
        case 'P':
          owners.partition = edge.other;
          owners.is_part = true;
          break;
        case 'S':
          if (!owners.is_part) owners.partition = edge.other;
          owners.is_part = true;
          break;
        default: break;
      }
    }
    return owners;
  }

  void search(const ObjectAddress& original) {
    visit(original, kDeleteOriginal, nullptr);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.visited < frame.next.size()) {
        Found next = frame.next[frame.visited++];
        visit(next.object, next.flags, frame.path());
      } else {
        leave(frame);
        frames_.pop_back();
      }
    }
  }

  // Opens a frame for the object, unless it was met before.
  void visit(const ObjectAddress& object, unsigned flags, Step* path) {
    if (on_path(object, flags, path) || planned(object, flags)) return;
    Owners owners = owners_of(object, path);
    if (owners.owner && path == nullptr) {
      std::string owner = source_.describe(*owners.owner);
      throw SqlError(sqlstate::dependent_objects_still_exist, "cannot drop {} because {} requires it", source_.describe(object), owner)
          .hint(fmt::format("You can drop {} instead.", owner));
    }
    Frame& frame = frames_.emplace_back();
    frame.object = object;
    frame.here = {&frame.object, flags, path};
    if (owners.owner) {
      // Dropping a part means dropping the whole, from where the part will be found again.
      frame.is_detour = true;
      if (source_.lock(*owners.owner)) frame.next.push_back({*owners.owner, flags | kDeleteReverse});
      return;
    }
    if (owners.is_part) {
      frame.here.flags |= kDeleteIsPart;
      frame.partition = owners.partition;
    }
    frame.next = dependents(object);
  }

  // All that hangs on the object is planned.
  void leave(const Frame& frame) {
    if (frame.is_detour) {
      planned(frame.object, frame.here.flags);   // the way that led here counts for the part, too
      return;
    }
    Deletion deletion{frame.object, frame.here.flags, {}};
    if (frame.partition) deletion.dependee = *frame.partition;
    else if (frame.here.previous != nullptr) deletion.dependee = *frame.here.previous->object;
    places_.emplace(key_of(frame.object), plan_.size());
    plan_.push_back(deletion);
  }

  // What depends on the object, locked.
  std::vector<Found> dependents(const ObjectAddress& object) {
    std::vector<Found> found;
    for (const DependencyEdge& edge : source_.dependents(object)) {
      if (edge.other.class_id == object.class_id && edge.other.object == object.object) {
        // A part of the object itself: goes with it.
        if (object.sub == 0) continue;
      }
      if (!source_.lock(edge.other)) continue;
      unsigned flags = 0;
      switch (edge.kind) {
        case 'n': flags = kDeleteNormal; break;
        case 'a': flags = kDeleteAutomatic; break;
        case 'i': flags = kDeleteInternal; break;
        case 'P': case 'S': flags = kDeletePartition; break;
        case 'e': flags = kDeleteExtension; break;
        default: throw SqlError(sqlstate::internal_error, "unrecognized dependency type '{}' for {}", edge.kind, source_.describe(object));
      }
      found.push_back({edge.other, flags});
    }
    // Newest first.
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      if (a.object.object != b.object.object) return raw(a.object.object) > raw(b.object.object);
      if (a.object.class_id != b.object.class_id) return raw(a.object.class_id) < raw(b.object.class_id);
      return static_cast<std::uint32_t>(a.object.sub) < static_cast<std::uint32_t>(b.object.sub);
    });
    return found;
  }

  const std::vector<ObjectAddress>& objects_;
  const DependencySource& source_;
  std::deque<Frame> frames_;   // (Steps point into them.)
  std::vector<Deletion> plan_;
  std::unordered_multimap<std::uint64_t, std::size_t> places_;   // in plan_, by class and object
};

void check_parts(const std::vector<Deletion>& plan, const DependencySource& source) {
  for (const Deletion& d : plan) {
    if ((d.flags & kDeleteIsPart) != 0 && (d.flags & kDeletePartition) == 0) {
      std::string whole = source.describe(d.dependee);
      throw SqlError(sqlstate::dependent_objects_still_exist, "cannot drop {} because {} requires it", source.describe(d.object), whole)
          .hint(fmt::format("You can drop {} instead.", whole));
    }
  }
}

}  // namespace

std::vector<Deletion> plan_deletion(const std::vector<ObjectAddress>& objects, const DependencySource& source) {
  return Planner(objects, source).run();
}

void report_deletion(const std::vector<Deletion>& plan, const std::vector<ObjectAddress>& objects, bool cascade, bool quiet,
                     const DependencySource& source) {
  check_parts(plan, source);
  if (cascade && quiet) return;
  std::string lines;
  std::string first;
  int reported = 0, unreported = 0;
  bool refused = false;
  for (std::size_t i = plan.size(); i-- > 0;) {
    const Deletion& d = plan[i];
    if ((d.flags & kDeleteOriginal) != 0) continue;
    if ((d.flags & (kDeleteAutomatic | kDeleteInternal | kDeletePartition | kDeleteExtension)) != 0) continue;
    std::string description = source.describe(d.object);
    if (description.empty()) continue;  // already gone
    std::string line = cascade ? "drop cascades to " + description : description + " depends on " + source.describe(d.dependee);
    refused = refused || !cascade;
    if (reported + unreported == 0) first = line;
    if (reported >= kMostReported) {
      ++unreported;
      continue;
    }
    ++reported;
    if (!lines.empty()) lines += '\n';
    lines += line;
  }
  if (unreported > 0) {
    lines += fmt::format("\nand {} other {} (see server log for list)", unreported, unreported == 1 ? "object" : "objects");
  }
  if (refused) {
    std::string message = objects.size() == 1
                              ? fmt::format("cannot drop {} because other objects depend on it", source.describe(objects[0]))
                              : std::string("cannot drop desired object(s) because other objects depend on them");
    throw SqlError(sqlstate::dependent_objects_still_exist, "{}", message)
        .detail(lines)
        .hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }
  int total = reported + unreported;
  if (total == 0) return;
  ErrorReport notice;
  notice.severity = Severity::notice;
  notice.code = sqlstate::successful_completion;
  if (total == 1) {
    notice.message = first;
  } else {
    notice.message = fmt::format("drop cascades to {} other objects", total);
    notice.detail = lines;
  }
  report(std::move(notice));
}

}  // namespace hathi::catalog
