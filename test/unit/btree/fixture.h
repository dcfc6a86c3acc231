#pragma once
// Indexes over the in-memory stand-ins of test/unit/heap, and a check of a whole tree's structure.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../heap/fake_storage.h"
#include "src/backend/btree/search.h"
#include "hathi/btree/btree.h"
#include "hathi/error/sql_error.h"

namespace hathi::btree {

inline constexpr Oid kInt4Compare{351}, kInt8Compare{842}, kTextCompare{360}, kCollationC{950};

struct ColumnSpec { char kind; bool descending = false, nulls_first = false; bool key = true; };   // kind: i int4, l int8, t text

class IndexTest : public testing::Test {
 protected:
  IndexTest() { fake::reset(); fake::begin(); }
  ~IndexTest() override { EXPECT_EQ(fake::pin_count(), 0); }

  void make(std::initializer_list<ColumnSpec> columns, bool unique = false) {
    static std::uint32_t next_relation = 40000;
    index = BTreeIndex{};
    index.oid = Oid{next_relation};
    index.file = {Oid{1663}, Oid{5}, Oid{next_relation++}};
    index.name = "i";
    index.table_name = "t";
    index.unique = unique;
    TupleDescriptor* d = make_descriptor(arena, static_cast<int>(columns.size()));
    keys.clear();
    specs = columns;
    std::size_t i = 0;
    for (const ColumnSpec& c : columns) {
      Attribute& a = d->attributes[i++];
      a.layout = c.kind == 'i' ? TypeLayout{4, true, 'i'} : c.kind == 'l' ? TypeLayout{8, true, 'd'} : TypeLayout{-1, false, 'i'};
      a.storage = c.kind == 't' ? 'x' : 'p';
      if (!c.key) continue;
      KeyColumn k;
      k.comparison = comparison(c.kind);
      k.descending = c.descending;
      k.nulls_first = c.nulls_first;
      keys.push_back(k);
    }
    finish_descriptor(*d);
    index.descriptor = d;
    index.keys = keys;
    storage::create_fork(index.file, Fork::main, false);
    create_empty(index);
  }
  static ComparisonFunction comparison(char kind) {
    return prepare_comparison(kind == 'i' ? kInt4Compare : kind == 'l' ? kInt8Compare : kTextCompare, kind == 't' ? kCollationC : kInvalidOid);
  }
  static TupleId tid(std::uint32_t n) { return {BlockNumber{n / 200}, OffsetNumber{static_cast<std::uint16_t>(n % 200 + 1)}}; }
  static std::uint32_t number(TupleId t) { return t.block.value() * 200 + t.offset.value() - 1u; }

  bool put(std::initializer_list<Datum> values, TupleId row, UniqueCheck check = UniqueCheck::none) {
    bool nulls[8] = {};
    return insert(index, values.begin(), nulls, row, check, probe, [&](TupleId t) {
      conflict = t;
      throw SqlError(sqlstate::unique_violation, "duplicate");
    });
  }
  bool put_null(TupleId row, UniqueCheck check = UniqueCheck::none) {
    Datum values[8];
    bool nulls[8];
    std::fill(nulls, nulls + 8, true);
    return insert(index, values, nulls, row, check, probe, [&](TupleId t) {
      conflict = t;
      throw SqlError(sqlstate::unique_violation, "duplicate");
    });
  }
  static ScanKey condition(int column, Strategy s, Datum argument, char kind = 'i') {
    ScanKey k;
    k.column = static_cast<AttrNumber>(column);
    k.strategy = s;
    k.argument = argument;
    k.comparison = comparison(kind);
    return k;
  }
  std::vector<std::uint32_t> rows(std::span<const ScanKey> conditions = {}, bool backward = false) {
    Scan scan(index, false);
    scan.start(conditions);
    std::vector<std::uint32_t> found;
    TupleId t;
    while (scan.next(t, backward)) found.push_back(number(t));
    return found;
  }

  // Walks the whole tree: links, order, bounds, no incomplete split. Returns the number of rows.
  std::size_t check_tree() {
    Meta meta = read_meta(index);
    if (meta.root == kNoBlock) return 0;
    std::size_t count = 0;
    std::uint32_t leftmost = meta.root;
    for (std::uint32_t level = meta.level;; --level) {
      std::uint32_t block = leftmost, previous = kNoBlock, below = kNoBlock;
      std::vector<std::byte> last;
      while (block != kNoBlock) {
        buffer::PinnedBuffer pin = read_page(index, block);
        PageView page = pin.page();
        EXPECT_EQ(special(page).level, level);
        EXPECT_EQ(special(page).previous, previous);
        EXPECT_FALSE(has_flag(page, kDeleted | kIncompleteSplit)) << block;
        EXPECT_EQ(has_flag(page, kRoot), block == meta.root);
        if (level > 0 && block == leftmost) below = child_block(entry_at(page, first_line(page)));
        for (std::uint16_t i = first_line(page); i <= page.line_count(); ++i) {
          const std::byte* e = entry_at(page, i);
          if (level > 0 && i == first_line(page)) {
            EXPECT_EQ(entry_columns(e, index), 0);
            continue;
          }
          if (!last.empty()) expect_before(last.data(), e);
          last.assign(e, e + entry_size(e));
          if (level == 0) count += static_cast<std::size_t>(row_count(e));
        }
        if (!is_rightmost(page)) {
          if (!last.empty() && page.line_count() >= first_line(page) + (level > 0 ? 1 : 0)) expect_before(last.data(), high_key(page));
          // Everything to the right is beyond the high key.
          const std::byte* h = high_key(page);
          last.assign(h, h + entry_size(h));
        }
        previous = block;
        block = special(page).next;
      }
      if (level == 0) break;
      leftmost = below;
    }
    return count;
  }
  void expect_before(const std::byte* a, const std::byte* b) {
    EntryOrder order = compare_entries(index, a, b);
    if (order.order != 0) {
      EXPECT_LT(order.order, 0);
      return;
    }
    int all = static_cast<int>(index.keys.size());
    if (entry_columns(a, index) < all || entry_columns(b, index) < all) return;
    TupleId x = is_pivot(a) ? pivot_tid(a) : last_tid(a), y = is_pivot(b) ? pivot_tid(b) : entry_tid(b);
    if (x.is_valid() && y.is_valid()) { EXPECT_LE(x, y); }
  }
  std::uint32_t blocks() const { return buffer::block_count(index.file, Fork::main).value(); }

  Arena arena;
  BTreeIndex index;
  std::vector<KeyColumn> keys;
  std::vector<ColumnSpec> specs;
  HeapProbe probe = [](TupleId) { return UniqueProbe{}; };
  TupleId conflict;
};

}  // namespace hathi::btree
