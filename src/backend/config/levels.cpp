// What a rollback brings back. Theorem: ending a level by commit leaves the value the outer level would have had by running the
// same SETs itself; ending it by abort leaves the value from before the level.

#include "hathi/error/sql_error.h"
#include "store.h"

namespace hathi::config {

void push_prior(Setting& setting, bool local, bool function) {
  Store& store = Store::get();
  if (store.level == 0) return;
  if (setting.stack.empty() || setting.stack.back().level < store.level) {
    StackEntry entry{};
    entry.level = store.level;
    entry.prior = current_value(setting);
    entry.prior_source = setting.source;
    setting.stack.push_back(std::move(entry));
    if (!setting.touched) {
      setting.touched = true;
      store.touched.push_back(&setting);
    }
  }
  StackEntry& entry = setting.stack.back();
  if (function) {
    entry.function = true;
  } else if (local) {
    if (entry.set && !entry.local) {
      entry.masked = current_value(setting);
      entry.masked_source = setting.source;
    }
    entry.local = true;
  } else {
    entry.set = true;
    entry.local = false;
  }
}

namespace {

void restore(Setting& setting, const Value& value, Source source) {
  if (setting.source == source && current_value(setting) == value) return;
  assign_value(setting, value, source);
}

// The outer level takes over what the inner one (just popped) did.
void merge_into(StackEntry& outer, const StackEntry& inner) {
  if (inner.local) {
    if (inner.set) {
      outer.masked = inner.masked;
      outer.masked_source = inner.masked_source;
      outer.set = true;
    } else if (outer.set && !outer.local) {
      outer.masked = inner.prior;
      outer.masked_source = inner.prior_source;
    }
    outer.local = true;
  } else if (inner.set) {
    outer.set = true;
    outer.local = false;
  }
}

void end_entry(Setting& setting, int level, bool commit) {
  StackEntry entry = std::move(setting.stack.back());
  setting.stack.pop_back();
  if (!commit || (entry.function && !entry.set)) {
    restore(setting, entry.prior, entry.prior_source);
    return;
  }
  if (level > 1) {
    if (!setting.stack.empty() && setting.stack.back().level == level - 1) {
      merge_into(setting.stack.back(), entry);
    } else {
      entry.level = level - 1;
      entry.function = false;
      setting.stack.push_back(std::move(entry));
    }
    return;
  }
  if (entry.local && entry.set)
    restore(setting, entry.masked, entry.masked_source);
  else if (entry.local)
    restore(setting, entry.prior, entry.prior_source);
}

}  // namespace

void at_start_of_level(int nesting_level) {
  Store& store = Store::get();
  HATHI_ASSERT(nesting_level >= 1);
  ++store.level;
  store.level_of_nesting.resize(static_cast<std::size_t>(nesting_level) + 1, 0);
  store.level_of_nesting[static_cast<std::size_t>(nesting_level)] = store.level;
}

void at_end_of_level(int nesting_level, bool commit) {
  Store& store = Store::get();
  if (static_cast<std::size_t>(nesting_level) >= store.level_of_nesting.size()) return;
  int level = store.level_of_nesting[static_cast<std::size_t>(nesting_level)];
  store.level_of_nesting.resize(static_cast<std::size_t>(nesting_level));
  end_level(level, commit);
}

int new_level() { return ++Store::get().level; }

void end_level(int level, bool commit) {
  Store& store = Store::get();
  if (level <= 0) return;
  std::size_t kept = 0;
  // Assign hooks may not touch settings, so the list does not grow while it is walked.
  for (std::size_t i = 0; i < store.touched.size(); ++i) {
    Setting& setting = *store.touched[i];
    while (!setting.stack.empty() && setting.stack.back().level >= level) end_entry(setting, setting.stack.back().level, commit);
    if (setting.stack.empty())
      setting.touched = false;
    else
      store.touched[kept++] = &setting;
  }
  store.touched.resize(kept);
  store.level = level - 1;
}

}  // namespace hathi::config
