// Where to split: evenly, or leaving the left page well filled when the index grows at its right end; among nearly as good places
// the one whose pivot is shortest.
#include <algorithm>
#include <cstdlib>

#include "split.h"

namespace hathi::btree {

namespace {

// The entries of the page as they would be with the new one, first to last.
struct Sequence {
  PageView page;
  const NewEntry& entry;
  std::uint16_t first;

  int count() const { return page.line_count() - first + 2; }
  bool is_new(int i) const { return i == entry.line - first; }
  std::uint16_t line(int i) const { return static_cast<std::uint16_t>(first + i - (i > entry.line - first ? 1 : 0)); }
  const std::byte* at(int i) const {
    if (is_new(i)) return entry.bytes.data();
    return entry.replaced_line != 0 && line(i) == entry.replaced_line ? entry.replacement.data() : entry_at(page, line(i));
  }
  std::size_t size(int i) const { return align8(entry_size(at(i))) + sizeof(LinePointer); }
};

struct Candidate { int right; std::size_t left_free, right_free; std::size_t delta; };

constexpr std::size_t kUsable = kPageSize - kPageHeaderSize - kSpecialSize;
constexpr int kInnerFillFactor = 70, kSingleValueFillFactor = 96;
constexpr std::size_t kMaxCandidates = 512;

// What the left page's high key may take: the pivot is at most the right page's first entry with a row position.
std::size_t pivot_room(const BTreeIndex&, bool leaf, std::size_t first_right_size) { return first_right_size + (leaf ? 8 : 0); }

// Few columns decide early: shorter pivots. Inner pages: the pivot is moved as it is, so its size counts.
int penalty(const BTreeIndex& index, const Sequence& s, bool leaf, int right) {
  if (!leaf) return static_cast<int>(entry_size(s.at(right)));
  EntryOrder order = compare_entries(index, s.at(right - 1), s.at(right));
  return order.equal_columns + 1;   // keys + 1: only the row position tells them apart
}

}  // namespace

SplitPoint choose_split(const BTreeIndex& index, PageView page, const NewEntry& entry) {
  Sequence s{page, entry, first_line(page)};
  bool leaf = is_leaf(page), rightmost = is_rightmost(page);
  int n = s.count();
  std::size_t total = 0;
  for (int i = 0; i < n; ++i) total += s.size(i);
  std::size_t old_high_key = rightmost ? 0 : align8(entry_size(high_key(page))) + sizeof(LinePointer);

  // How full the left page should be, in percent of the whole; 0 = evenly.
  int fill = 0;
  if (leaf) {
    bool one_value = compare_entries(index, s.at(0), s.at(n - 1)).equal_columns == static_cast<int>(index.keys.size());
    if (one_value && entry.line > s.first + (n - 1) * 3 / 4) fill = kSingleValueFillFactor;   // equal keys arrive in row order
    else if (rightmost) fill = index.fill_factor;
  } else if (rightmost) {
    fill = kInnerFillFactor;
  }

  Candidate candidates[kMaxCandidates];
  std::size_t found = 0, left_used = 0;
  for (int right = 1; right < n; ++right) {
    left_used += s.size(right - 1);
    std::size_t left_total = left_used + pivot_room(index, leaf, s.size(right));
    // On inner pages the right page's first entry loses its columns.
    std::size_t right_total = total - left_used + old_high_key - (leaf ? 0 : s.size(right) - 8 - sizeof(LinePointer));
    if (left_total > kUsable || right_total > kUsable) continue;
    // The left page gets a line for its high key before it is packed.
    if (rightmost && s.is_new(right) && right == n - 1 && page.hole() < sizeof(LinePointer)) continue;
    Candidate c{right, kUsable - left_total, kUsable - right_total, 0};
    if (fill != 0) {
      std::size_t wanted = kUsable * static_cast<std::size_t>(100 - fill) / 100;
      c.delta = c.left_free > wanted ? c.left_free - wanted : wanted - c.left_free;
    } else {
      c.delta = c.left_free > c.right_free ? c.left_free - c.right_free : c.right_free - c.left_free;
    }
    if (found < kMaxCandidates) candidates[found++] = c;
  }
  SplitPoint point{};
  if (found == 0) return point;
  std::sort(candidates, candidates + found, [](const Candidate& a, const Candidate& b) { return a.delta < b.delta; });
  // Nearly as good: within a few percent of the page.
  std::size_t limit = candidates[0].delta + kPageSize / 20;
  std::size_t best = 0;
  int best_penalty = penalty(index, s, leaf, candidates[0].right);
  for (std::size_t i = 1; i < found && candidates[i].delta <= limit && best_penalty > 1; ++i) {
    int p = penalty(index, s, leaf, candidates[i].right);
    if (p < best_penalty) {
      best = i;
      best_penalty = p;
    }
  }
  reset_comparison_arena();
  int right = candidates[best].right;
  point.found = true;
  point.new_on_left = entry.line - s.first < right;
  // The old line that opens the right page; when that is the new entry, the line after it.
  point.first_right = s.is_new(right) ? entry.line : s.line(right);
  return point;
}

}  // namespace hathi::btree
