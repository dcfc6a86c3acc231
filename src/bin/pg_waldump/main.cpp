// pg_waldump: prints the records of the write-ahead log from the latest checkpoint's redo point on.
//
// Positions before that point cannot be read: a record's checksum covers a number that changes with each recovery after a crash, and
// pg_control knows only the current one.

#include "options.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "describe.h"
#include "hathi/error/sql_error.h"
#include "src/backend/wal/control_file.h"
#include "src/backend/wal/reader.h"

namespace hathi::waldump {

namespace {

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "pg_waldump: error: %s\n", text.c_str());
  std::exit(1);
}

std::string position(std::uint64_t lsn) { return fmt::format("{:X}/{:08X}", lsn >> 32, lsn & 0xFFFFFFFFu); }
std::string short_position(std::uint64_t lsn) { return fmt::format("{:X}/{:X}", lsn >> 32, lsn & 0xFFFFFFFFu); }

std::size_t image_bytes(const wal::DecodedRecord& r) {
  std::size_t n = 0;
  for (const wal::BlockReference& b : r.blocks) n += b.image.size();
  return n;
}

bool block_is_wanted(const Options& o, const wal::BlockReference& b) {
  if (o.relation && !(b.tag.file == *o.relation)) return false;
  if (o.fork && b.tag.fork != *o.fork) return false;
  return !o.block || b.tag.block.value() == *o.block;
}

bool is_wanted(const Options& o, const wal::DecodedRecord& r) {
  if (!o.managers.empty() && std::find(o.managers.begin(), o.managers.end(), r.manager) == o.managers.end()) return false;
  if (o.xid && r.xid != *o.xid) return false;
  if (o.full_page && image_bytes(r) == 0) return false;
  if (!o.relation && !o.fork) return true;
  return std::any_of(r.blocks.begin(), r.blocks.end(), [&](const wal::BlockReference& b) { return block_is_wanted(o, b); });
}

std::string describe_block(const Options& o, int n, const wal::BlockReference& b) {
  const RelationFile& f = b.tag.file;
  std::string text = o.details ? "\n\t" : ", ";
  text += fmt::format("blkref #{}: rel {}/{}/{}", n, raw(f.tablespace), raw(f.database), raw(f.relation));
  if (b.tag.fork != Fork::main) text += fmt::format(" fork {}", fork_name(b.tag.fork));
  text += fmt::format(" blk {}", b.tag.block.value());
  if (!b.image.empty()) {
    text += " FPW";
    if (o.details)
      text += fmt::format("; hole: offset: {}, length: {}{}", b.hole_offset, b.hole_length,
                          (b.flags & wal::kBlockCompressed) != 0 ? ", compression method: lz4" : "");
  }
  return text;
}

void print(const Options& o, const wal::DecodedRecord& r, std::uint64_t previous) {
  std::size_t total = r.end.value() - r.start.value();
  std::string text =
      fmt::format("rmgr: {:<11} len (rec/tot): {:6}/{:6}, tx: {:10}, lsn: {}, prev {}, desc: {} {}", manager_name(r.manager), total - image_bytes(r),
                  total, r.xid.value(), position(r.start.value()), position(previous), operation_name(r), describe(r));
  int n = 0;
  for (const wal::BlockReference& b : r.blocks) text += describe_block(o, n++, b);
  std::puts(text.c_str());
}

struct Sum {
  std::uint64_t count = 0, record = 0, image = 0;
  void add(std::size_t r, std::size_t i) {
    ++count;
    record += r;
    image += i;
  }
};

void print_sum(const std::string& name, const Sum& s, const Sum& total) {
  auto share = [](std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); };
  std::uint64_t both = s.record + s.image;
  std::printf("%-27s %20lu (%6.02f) %20lu (%6.02f) %20lu (%6.02f) %20lu (%6.02f)\n", name.c_str(), s.count, share(s.count, total.count), s.record,
              share(s.record, total.record), s.image, share(s.image, total.image), both, share(both, total.record + total.image));
}

void print_statistics(const std::map<std::string, Sum>& sums, std::uint64_t from, std::uint64_t to) {
  Sum total;
  for (const auto& [name, s] : sums) {
    total.count += s.count;
    total.record += s.record;
    total.image += s.image;
  }
  std::printf("WAL statistics between %s and %s:\n", short_position(from).c_str(), short_position(to).c_str());
  std::printf("%-27s %20s %8s %20s %8s %20s %8s %20s %8s\n", "Type", "N", "(%)", "Record size", "(%)", "FPI size", "(%)", "Combined size", "(%)");
  std::printf("%-27s %20s %8s %20s %8s %20s %8s %20s %8s\n", "----", "-", "---", "-----------", "---", "--------", "---", "-------------", "---");
  for (const auto& [name, s] : sums) print_sum(name, s, total);
  std::printf("%-27s %20s %8s %20s %8s %20s %8s %20s\n", "", "--------", "", "--------", "", "--------", "", "--------");
  std::printf("%-27s %20lu %8s %20lu [%.02f%%] %20lu [%.02f%%] %20lu [100%%]\n", "Total", total.count, "", total.record,
              100.0 * static_cast<double>(total.record) / static_cast<double>(std::max<std::uint64_t>(1, total.record + total.image)), total.image,
              100.0 * static_cast<double>(total.image) / static_cast<double>(std::max<std::uint64_t>(1, total.record + total.image)),
              total.record + total.image);
}

int run(const Options& o) {
  wal::ControlFile control = wal::read_control();
  std::uint64_t start = std::max(o.start.value_or(0), o.first_segment.value_or(0) * wal::kWalSegmentSize);
  std::uint64_t end = o.end.value_or(UINT64_MAX);
  if (o.last_segment) end = std::min(end, (*o.last_segment + 1) * wal::kWalSegmentSize);
  if (end <= control.redo)
    fail(fmt::format("records before {} cannot be read: they are older than the latest checkpoint's REDO location", short_position(control.redo)));
  wal::LogReader reader(control.redo, control.incarnation);
  wal::DecodedRecord record;
  std::map<std::string, Sum> sums;
  std::uint64_t previous = 0, first = 0, shown = 0;
  while (shown < o.limit && reader.position() < end && reader.next(record)) {
    std::uint64_t at = record.start.value();
    if (at >= start) {
      if (first == 0) first = at;
      if (is_wanted(o, record)) {
        ++shown;
        std::size_t image = image_bytes(record);
        if (o.statistics)
          sums[std::string(manager_name(record.manager)) + (o.statistics_by_record ? "/" + std::string(operation_name(record)) : "")].add(
              record.end.value() - at - image, image);
        else if (!o.quiet) print(o, record, previous);
      }
    }
    previous = at;
  }
  if (o.statistics) print_statistics(sums, first, reader.position());
  if (shown == 0 && first == 0 && start > reader.position()) fail(fmt::format("could not find a valid record after {}", short_position(start)));
  return 0;
}

}  // namespace

}  // namespace hathi::waldump

int main(int argc, char** argv) {
  hathi::waldump::Options options;
  if (auto status = hathi::waldump::read_options(argc, argv, options)) return *status;
  if (chdir(options.directory.c_str()) != 0) {
    std::fprintf(stderr, "pg_waldump: error: could not open directory \"%s\": %s\n", options.directory.c_str(), std::strerror(errno));
    return 1;
  }
  try {
    return hathi::waldump::run(options);
  } catch (const hathi::SqlError& e) {
    std::fprintf(stderr, "pg_waldump: error: %s\n", e.report().message.c_str());
    return 1;
  }
}
