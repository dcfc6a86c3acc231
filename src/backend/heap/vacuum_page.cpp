#include "page_check.h"
#include "hathi/heap/free_space.h"
#include "page_choice.h"
#include "vacuum.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

void keep(Xid xid, Xid& oldest) {
  if (is_normal(xid) && xid < oldest) oldest = xid;
}

// What freezing does to one version that stays.
void survey_row(PageView page, OffsetNumber n, Xid freeze_limit, Xid& oldest_kept, PageSurvey& survey) {
  HeapTupleHeader* h = row_header(page, n);
  PageSurvey::RowEdit edit{page.line(n).offset(), h->infomask, false};
  Xid xmin = row_xmin(page, h);
  if (is_normal(xmin) && !is_frozen(h)) {
    if (has_flag(h, infomask::xmin_committed) && xmin < freeze_limit) {
      edit.infomask |= infomask::xmin_frozen;
    } else {
      keep(xmin, oldest_kept);
      survey.all_frozen = false;
    }
  }
  if (h->xmax != 0 || has_flag(h, infomask::xmax_multi)) {
    if (has_flag(h, infomask::xmax_invalid)) {
      // The hint alone could be lost; an old number must not be looked up after the commit log was cut.
      bool old = has_flag(h, infomask::xmax_multi) || full_xid(page, h->xmax) < freeze_limit;
      edit.clear_xmax = old;
      if (!old) {
        keep(full_xid(page, h->xmax), oldest_kept);
        survey.all_frozen = false;
      }
    } else {
      survey.all_frozen = false;
      if (has_flag(h, infomask::xmax_multi)) {
        for (const auto& m : transaction::multixact_members(MultiXactId{h->xmax})) keep(m.xid, oldest_kept);
      } else {
        keep(full_xid(page, h->xmax), oldest_kept);
      }
    }
  }
  if (edit.clear_xmax) edit.infomask = static_cast<std::uint16_t>((edit.infomask & ~infomask::xmax_multi) | infomask::xmax_invalid);
  if (edit.infomask != h->infomask || edit.clear_xmax) survey.freezes.push_back(edit);
}

}  // namespace

void survey_page(const HeapTable& table, PageView page, Xid horizon, Xid freeze_limit, Xid& oldest_kept, PageSurvey& survey) {
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    OffsetNumber n{i};
    LinePointer lp = page.line(n);
    if (lp.state() == LinePointer::State::unused) continue;
    if (lp.state() == LinePointer::State::dead) {
      survey.dead_lines.push_back(n);
      survey.all_visible = false;
      continue;
    }
    survey.has_rows = true;
    if (lp.state() == LinePointer::State::redirect) continue;
    HeapTupleHeader* h = row_header(page, n);
    switch (vacuum_state(page, h, horizon, survey.hints)) {
      case VersionState::live:
        ++survey.live;
        if (!has_flag(h, infomask::xmin_committed) || (!is_frozen(h) && row_xmin(page, h) >= horizon)) survey.all_visible = false;
        break;
      case VersionState::dead: case VersionState::recently_dead:
        ++survey.dead_kept;
        survey.all_visible = false;
        break;
      case VersionState::insert_in_progress: survey.all_visible = false; break;
      case VersionState::delete_in_progress:
        ++survey.live;   // counted until the deletion commits
        survey.all_visible = false;
        break;
    }
    survey_row(page, n, freeze_limit, oldest_kept, survey);
  }
  if (!survey.all_visible) survey.all_frozen = false;
}

void free_dead_lines(VacuumRun& run, BlockNumber block, std::span<const OffsetNumber> lines) {
  const HeapTable& table = run.table;
  buffer::PinnedBuffer map_pin = pin_map_page(table.file, block);
  buffer::PinnedBuffer pin = read_page(table, block, run.ring);
  pin.lock(locking::LwMode::exclusive);
  PageView page = pin.page();
  std::uint16_t count = page.line_count(), last = 0;
  LinePointer after[kMaxRowsPerPage + 1];
  for (std::uint16_t i = 1; i <= count; ++i) after[i] = page.line(OffsetNumber{i});
  for (OffsetNumber n : lines) {
    HATHI_ASSERT(n.value() <= count && after[n.value()].state() == LinePointer::State::dead);
    after[n.value()] = LinePointer{};
  }
  bool free_lines = false;
  for (std::uint16_t i = 1; i <= count; ++i) {
    if (after[i].state() != LinePointer::State::unused) last = i;
  }
  for (std::uint16_t i = 1; i <= last; ++i) free_lines = free_lines || after[i].state() == LinePointer::State::unused;

  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::vacuum), table.logged());
  wal::PageEdit& edit = change.page(pin);
  for (std::uint16_t i = 1; i <= last;) {
    std::uint16_t first = i;
    while (i <= last && after[i].bits != page.line(OffsetNumber{i}).bits) ++i;
    if (i > first) edit.write(line_position(OffsetNumber{first}), std::as_bytes(std::span<const LinePointer>(after + first, i - first)));
    else ++i;
  }
  auto lower = static_cast<std::uint16_t>(kPageHeaderSize + last * sizeof(LinePointer));
  if (lower != page.header().lower) edit.write_value(offsetof(PageHeader, lower), lower);
  // The rows that stay may now all be visible to everybody.
  PageSurvey survey;
  Xid ignored = run.horizon;
  survey_page(table, page, run.horizon, run.freeze_limit, ignored, survey);
  bool all_visible = survey.dead_kept == 0 && survey.dead_lines.size() == lines.size();
  if (all_visible) {
    survey = PageSurvey{};
    for (std::uint16_t i = 1; i <= last && all_visible; ++i) {
      if (after[i].state() != LinePointer::State::normal) continue;
      HeapTupleHeader* h = row_header(page, OffsetNumber{i});
      all_visible = vacuum_state(page, h, run.horizon, survey.hints) == VersionState::live && has_flag(h, infomask::xmin_committed) &&
                    (is_frozen(h) || row_xmin(page, h) < run.horizon);
      survey.all_frozen = survey.all_frozen && is_frozen(h) && has_flag(h, infomask::xmax_invalid) && h->xmax == 0;
    }
  }
  auto flags = static_cast<std::uint16_t>((page.header().flags & ~kPageHasFreeLines) | (free_lines ? kPageHasFreeLines : 0) |
                                          (all_visible ? kPageAllVisible : 0));
  if (flags != page.header().flags) edit.write_value(offsetof(PageHeader, flags), flags);
  MapEdit map;
  if (all_visible) map.add(change, map_pin, block, survey.all_frozen ? kVisible | kFrozen : kVisible);
  change.apply();
  std::size_t room = room_for_row(page);
  run.statistics.line_pointers_removed += lines.size();
  pin.unlock();
  record_free_space(table.file, block, room);
}

}  // namespace hathi::heap
