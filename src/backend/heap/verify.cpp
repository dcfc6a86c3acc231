#include "hathi/heap/verify.h"

#include <memory>

#include "heap_page.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"
#include "page_check.h"

namespace hathi::heap {

namespace {

struct Verifier {
  const HeapTable& table;
  const VerifyOptions& options;
  const std::function<void(const Defect&)>& report;
  Xid next_xid;
  BlockNumber block{0};
  bool found = false;          // on this page
  Arena arena{8192};
  alignas(8) std::byte bytes[kPageSize];

  void defect(std::uint16_t offset, int attribute, std::string message) {
    found = true;
    report({block, offset, attribute, std::move(message)});
  }
  bool copy_page();
  bool check_line(PageView page, std::uint16_t i);
  bool check_header(PageView page, std::uint16_t i, const HeapTupleHeader* h, std::uint16_t length);
  void check_xids(PageView page, std::uint16_t i, const HeapTupleHeader* h);
  void check_values(const HeapTuple& row, std::uint16_t i);
  void check_page();
};

// False when there is nothing (more) to look at.
bool Verifier::copy_page() {
  try {
    buffer::PinnedBuffer pin = read_page(table, block);
    pin.lock(locking::LwMode::shared);
    std::memcpy(bytes, pin.page().bytes(), kPageSize);
  } catch (const SqlError& e) {
    if (e.code() != sqlstate::data_corrupted) throw;
    defect(0, 0, e.report().message);
    return false;
  }
  return !PageView(bytes).is_new();
}

bool Verifier::check_line(PageView page, std::uint16_t i) {
  LinePointer lp = page.line(OffsetNumber{i});
  const PageHeader& header = page.header();
  std::uint16_t count = page.line_count();
  if (lp.state() == LinePointer::State::redirect) {
    std::uint16_t target = lp.offset();
    if (target < 1) defect(i, 0, fmt::format("line pointer redirection to item at offset {} precedes minimum offset 1", target));
    else if (target > count) defect(i, 0, fmt::format("line pointer redirection to item at offset {} exceeds maximum offset {}", target, count));
    else if (page.line(OffsetNumber{target}).state() == LinePointer::State::unused)
      defect(i, 0, fmt::format("line pointer redirection to unused item at offset {}", target));
    return false;
  }
  if (lp.state() != LinePointer::State::normal) return false;
  if (lp.offset() % 8 != 0) return defect(i, 0, fmt::format("line pointer to page offset {} is not maximally aligned", lp.offset())), false;
  if (lp.length() < kTupleHeaderPadded)
    return defect(i, 0, fmt::format("line pointer length {} is less than the minimum tuple header size {}", lp.length(), kTupleHeaderPadded)), false;
  if (lp.offset() < header.upper || lp.offset() + lp.length() > header.special)
    return defect(i, 0,
                  fmt::format("line pointer to page offset {} with length {} ends beyond maximum page offset {}", lp.offset(), lp.length(),
                              header.special)),
           false;
  return check_header(page, i, row_header(page, OffsetNumber{i}), lp.length());
}

bool Verifier::check_header(PageView page, std::uint16_t i, const HeapTupleHeader* h, std::uint16_t length) {
  bool nulls = has_flag(h, infomask::has_null);
  auto count = static_cast<unsigned>(h->attribute_count());
  std::size_t expected = align8(kHeapTupleHeaderSize + (nulls ? (count + 7) / 8 : 0));
  if (h->hoff > length) return defect(i, 0, fmt::format("data begins at offset {} beyond the tuple length {}", h->hoff, length)), false;
  if (h->hoff != expected)
    return defect(i, 0,
                  fmt::format("tuple data should begin at byte {}, but actually begins at byte {} ({} attributes, {})", expected, h->hoff, count,
                              nulls ? "has nulls" : "no nulls")),
           false;
  auto most = static_cast<unsigned>(table.descriptor->count());
  if (count > most) return defect(i, 0, fmt::format("number of attributes {} exceeds maximum expected for table {}", count, most)), false;
  if (has_flag(h, infomask::xmax_committed) && has_flag(h, infomask::xmax_multi)) defect(i, 0, "multixact should not be marked committed");
  check_xids(page, i, h);
  return true;
}

void Verifier::check_xids(PageView page, std::uint16_t i, const HeapTupleHeader* h) {
  Xid xmin = row_xmin(page, h), xmax = row_xmax(page, h);
  if (xmin >= next_xid)
    defect(i, 0,
           fmt::format("xmin {} equals or exceeds next valid transaction ID {}:{}", xmin.value() & 0xFFFFFFFFu, next_xid.value() >> 32,
                       next_xid.value() & 0xFFFFFFFFu));
  else if (has_flag(h, infomask::xmin_committed) && !is_frozen(h) && is_normal(xmin) && !transaction::did_commit(xmin))
    defect(i, 0, fmt::format("xmin {} is marked committed, but it did not commit", xmin.value()));
  if (xmax >= next_xid)
    defect(i, 0,
           fmt::format("xmax {} equals or exceeds next valid transaction ID {}:{}", xmax.value() & 0xFFFFFFFFu, next_xid.value() >> 32,
                       next_xid.value() & 0xFFFFFFFFu));
}

// Each value within the row; a value stored outside can be had.
void Verifier::check_values(const HeapTuple& row, std::uint16_t i) {
  const TupleDescriptor& d = *table.descriptor;
  int count = std::min(row.header->attribute_count(), d.count());
  for (int n = 1; n <= count; ++n) {
    bool is_null = false;
    Datum value;
    try {
      value = get_attribute(row, d, static_cast<AttrNumber>(n), is_null);
    } catch (const SqlError&) {
      defect(i, n, fmt::format("attribute ends beyond total tuple length {}", row.size));
      return;
    }
    if (is_null || d.layouts[n - 1].kind != ColumnLayout::Kind::varlena) continue;
    const std::byte* p = value.as_pointer();
    if (varlena::is_external(p) && !has_flag(row.header, infomask::has_external)) defect(i, n, "toast pointer in a tuple that should have none");
    if (!varlena::is_compressed(p) && !(varlena::is_external(p) && options.check_toast)) continue;
    try {
      varlena::readable(value, arena);
    } catch (const SqlError& e) { defect(i, n, e.report().message); }
    arena.reset();
  }
}

void Verifier::check_page() {
  PageView page(bytes);
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    if (!check_line(page, i)) continue;
    HeapTuple row;
    copy_out(page, page.line(OffsetNumber{i}), {block, OffsetNumber{i}}, table.oid, row);
    // What vacuum may take away at any time may have lost its values outside already.
    bool surely_there = is_frozen(row.header) || (is_normal(row.xmin) && transaction::did_commit(row.xmin));
    bool ended = row.xmax != kInvalidXid && !has_flag(row.header, infomask::xmax_invalid) && !has_flag(row.header, infomask::xmax_lock_only);
    if (surely_there && !ended) check_values(row, i);
  }
}

}  // namespace

void verify(const HeapTable& table, const VerifyOptions& options, const std::function<void(const Defect&)>& report) {
  auto v = std::make_unique<Verifier>(Verifier{table, options, report, transaction::next_xid()});
  BlockNumber end = buffer::block_count(table.file, Fork::main);
  if (options.last != kInvalidBlock && options.last + 1 < end) end = options.last + 1;
  for (v->block = options.first; v->block < end; ++v->block) {
    check_interrupts();
    v->found = false;
    // Transactions that began meanwhile are no defect.
    v->next_xid = transaction::next_xid();
    if (v->copy_page()) {
      v->next_xid = transaction::next_xid();
      v->check_page();
    }
    if (v->found && options.stop_at_error) return;
  }
}

}  // namespace hathi::heap
