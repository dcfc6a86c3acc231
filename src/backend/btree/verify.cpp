// Checking a tree level by level, from the root down and from left to right. One page is copied at a time under its share lock, so writers
// may go on meanwhile; what they can have changed between two copies is allowed for.

#include "page_check.h"
#include "hathi/btree/verify.h"

#include <cstring>
#include <memory>
#include <vector>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/buffer/page_check.h"
#include "hathi/shmem/interrupts.h"
#include "search.h"

namespace hathi::btree {

namespace {

using locking::LwMode;

// A private copy of a page.
struct Copy {
  std::uint32_t block = kNoBlock;
  alignas(8) std::byte bytes[kPageSize];
  PageView page() { return PageView(bytes); }
};

// What the level above says about the level being looked at.
struct Downlink {
  std::uint32_t child;
  std::vector<std::byte> bound;    // the pivot: no entry of the child is less; empty for minus infinity
};

struct Verifier {
  const BTreeIndex& index;
  bool parents;
  std::vector<Downlink> above;     // parents only: of the level above, left to right
  std::vector<Downlink> below;     // of this level

  void level(std::uint32_t leftmost, std::uint32_t number);
  void check_page_itself(Copy& c, std::uint32_t number);
  void check_against_left(Copy& left, Copy& right);
  void check_downlink(Copy& c, std::size_t& at);
};

std::string place(const Copy& c, std::uint16_t line) { return fmt::format("({},{})", c.block, line); }

[[noreturn]] void violated(const BTreeIndex& index, const char* what, const std::string& detail) {
  throw SqlError(sqlstate::index_corrupted, "{} invariant violated for index \"{}\"", what, index.name).detail(detail);
}

void copy_page(const BTreeIndex& index, std::uint32_t block, Copy& to) {
  buffer::PinnedBuffer pin = read_page(index, block);
  pin.lock(LwMode::shared);
  std::memcpy(to.bytes, pin.page().bytes(), kPageSize);
  to.block = block;
  if (to.page().is_new()) throw_corrupted(index, block, "unexpected zero page");
  // Pages that changed in memory only were never looked at when they were read.
  if (!page_header_is_sane(to.bytes) || to.page().header().special != kPageSize - kSpecialSize || !check_structure(block_tag(index, block), to.bytes))
    throw_corrupted(index, block, "corrupted page");
}

bool is_minus_infinity(PageView page, std::uint16_t line) { return !is_leaf(page) && line == first_line(page); }

// Are two entries in order? Leaf entries and pivots that say it are told apart by their row positions, too.
bool in_order(const BTreeIndex& index, const std::byte* a, const std::byte* b, bool equal_is_fine) {
  EntryOrder order = compare_entries(index, a, b);
  if (order.order != 0) return order.order < 0;
  int keys = static_cast<int>(index.keys.size()), of_a = entry_columns(a, index), of_b = entry_columns(b, index);
  if (order.equal_columns < keys) return of_a < of_b || (of_a == of_b && equal_is_fine);   // the shorter pivot is before all that begin like it
  TupleId x = is_pivot(a) ? pivot_tid(a) : last_tid(a), y = is_pivot(b) ? pivot_tid(b) : entry_tid(b);
  if (!x.is_valid()) return y.is_valid() || equal_is_fine;
  if (!y.is_valid()) return false;
  return x < y || (equal_is_fine && x == y);
}

void Verifier::check_page_itself(Copy& c, std::uint32_t number) {
  PageView page = c.page();
  if (special(page).level != number) throw_corrupted(index, c.block, "a page of the wrong level");
  std::uint16_t first = first_line(page), count = page.line_count();
  for (std::uint16_t i = first; i <= count; ++i) {
    if (is_minus_infinity(page, i)) continue;
    const std::byte* e = entry_at(page, i);
    if (entry_columns(e, index) > index.descriptor->count()) throw_corrupted(index, c.block, "an entry with too many columns");
    for (int n = 1; is_posting(e) && n < posting_count(e); ++n)
      if (!(posting_tid(e, n - 1) < posting_tid(e, n)))
        throw SqlError(sqlstate::index_corrupted, "posting list contains misplaced TID in index \"{}\"", index.name)
            .detail(fmt::format("Index tid={} posting list offset={} page lsn={:X}/{:X}.", place(c, i), n, page.header().lsn.value() >> 32,
                                page.header().lsn.value() & 0xFFFFFFFFu));
    if (!is_rightmost(page) && !in_order(index, e, high_key(page), true))
      violated(index, "high key", fmt::format("Index tid={} page level={}.", place(c, i), number));
    if (i < count && !in_order(index, e, entry_at(page, static_cast<std::uint16_t>(i + 1)), false))
      violated(
          index, "item order",
          fmt::format("Lower index tid={} higher index tid={} page level={}.", place(c, i), place(c, static_cast<std::uint16_t>(i + 1)), number));
  }
}

// The last entry on the left against the first on the right. The right page may have been split or emptied meanwhile: what is left is no less.
void Verifier::check_against_left(Copy& left, Copy& right) {
  PageView a = left.page(), b = right.page();
  std::uint16_t last = a.line_count(), first = first_line(b);
  if (!is_leaf(b)) ++first;
  if (last < first_line(a) || first > b.line_count() || is_minus_infinity(a, last)) return;
  if (!in_order(index, entry_at(a, last), entry_at(b, first), false))
    violated(index, "cross page item order", fmt::format("Last item on page tid={} right page block={}.", place(left, last), right.block));
}

// The parent's pivot for this page, and what it says. at: the next downlink of the level above.
void Verifier::check_downlink(Copy& c, std::size_t& at) {
  PageView page = c.page();
  if (at >= above.size() || above[at].child != c.block) {
    throw SqlError(sqlstate::index_corrupted, "index block lacks downlink in index \"{}\"", index.name)
        .detail(fmt::format("Block={} level={}.", c.block, special(page).level));
  }
  const Downlink& link = above[at++];
  if (link.bound.empty()) return;
  std::uint16_t first = first_line(page);
  if (!is_leaf(page)) ++first;
  if (first <= page.line_count() && !in_order(index, link.bound.data(), entry_at(page, first), false))
    violated(index, "down-link lower bound", fmt::format("Child tid={}.", place(c, first)));
}

void collect_downlinks(Copy& c, std::vector<Downlink>& to) {
  PageView page = c.page();
  for (std::uint16_t i = first_line(page); i <= page.line_count(); ++i) {
    const std::byte* e = entry_at(page, i);
    Downlink link{child_block(e), {}};
    // The first of a page that is not leftmost stands for the page's own lower bound, which its parent has checked.
    if (!is_minus_infinity(page, i)) link.bound.assign(e, e + entry_size(e));
    to.push_back(std::move(link));
  }
}

void Verifier::level(std::uint32_t leftmost, std::uint32_t number) {
  auto current = std::make_unique<Copy>(), left = std::make_unique<Copy>();
  std::uint32_t block = leftmost, steps = 0, previous = kNoBlock;
  std::size_t at = 0;
  bool have_left = false;
  for (; block != kNoBlock;) {
    check_interrupts();
    copy_page(index, block, *current);
    PageView page = current->page();
    if (has_flag(page, kMeta)) throw_corrupted(index, block, "a link to its metapage");
    std::uint32_t limit = buffer::block_count(index.file, Fork::main).value();
    if (++steps > limit) throw SqlError(sqlstate::index_corrupted, "circular link chain found in block {} of index \"{}\"", block, index.name);
    if (!has_flag(page, kDeleted)) {
      check_page_itself(*current, number);
      if (parents && special(page).previous != previous)
        throw SqlError(sqlstate::index_corrupted, "left link/right link pair in index \"{}\" not in agreement", index.name)
            .detail(fmt::format("Block={} left block={} left link from block={}.", block, previous, special(page).previous));
      if (have_left) check_against_left(*left, *current);
      if (parents && !above.empty() && !(have_left && has_flag(left->page(), kIncompleteSplit))) check_downlink(*current, at);
      if (parents && number > 0) collect_downlinks(*current, below);
      previous = block;
      have_left = true;
      std::swap(left, current);
    } else if (parents) {
      throw SqlError(sqlstate::index_corrupted, "downlink or sibling link points to deleted block in index \"{}\"", index.name)
          .detail(fmt::format("Block={}.", block));
    }
    PageView seen = have_left && left->block == block ? left->page() : current->page();
    block = special(seen).next;
    reset_comparison_arena();
  }
  if (parents && !above.empty() && at != above.size())
    throw SqlError(sqlstate::index_corrupted, "downlink of index \"{}\" leads to a page that its siblings do not know", index.name)
        .detail(fmt::format("Block={}.", above[at].child));
}

// Leftmost page of the level below.
std::uint32_t first_below(const BTreeIndex& index, std::uint32_t block) {
  auto c = std::make_unique<Copy>();
  copy_page(index, block, *c);
  while (has_flag(c->page(), kDeleted)) copy_page(index, special(c->page()).next, *c);
  PageView page = c->page();
  return child_block(entry_at(page, first_line(page)));
}

}  // namespace

void verify(const BTreeIndex& index, bool parents) {
  Meta meta = read_meta(index);
  if (meta.root == kNoBlock) return;
  if (meta.level >= static_cast<std::uint32_t>(kMaxLevels)) throw_corrupted(index, kMetaBlock.value(), "too many levels");
  std::uint32_t block = meta.root;
  Verifier v{index, parents, {}, {}};
  for (std::uint32_t number = meta.level;; --number) {
    v.level(block, number);
    if (number == 0) return;
    block = first_below(index, block);
    v.above = std::move(v.below);
    v.below.clear();
  }
}

}  // namespace hathi::btree
