#include "edits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "hathi/buffer/page.h"
#include "hathi/wal/encoding.h"

namespace hathi::wal {

namespace {

void put_head(ByteBuffer& to, EditOp op, std::uint16_t argument) {
  auto word = static_cast<std::uint16_t>(static_cast<unsigned>(op) << 13 | argument);
  std::byte* at = to.room(2);
  at[0] = static_cast<std::byte>(word);
  at[1] = static_cast<std::byte>(word >> 8);
  to.written(at + 2);
}

std::uint64_t load8(const std::byte* from) {
  std::uint64_t v = 0;
  std::memcpy(&v, from, 8);
  return v;
}

// Byte k is 1 where byte k of v is not zero, else 0.
std::uint64_t nonzero_bytes(std::uint64_t v) {
  v |= (v & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu;
  return (v >> 7) & 0x0101010101010101u;
}
std::size_t count_of(std::uint64_t nonzero) { return (nonzero * 0x0101010101010101u) >> 56; }
// Bit k set: byte k is not zero.
unsigned mask_of(std::uint64_t nonzero) { return static_cast<unsigned>((nonzero * 0x0102040810204080u) >> 56); }

constexpr auto kBitsIn = [] {
  std::array<std::uint8_t, 256> bits{};
  for (std::size_t mask = 1; mask < bits.size(); ++mask) bits[mask] = static_cast<std::uint8_t>((mask & 1) + bits[mask / 2]);
  return bits;
}();
constexpr unsigned kWholeWord = 0xFF;

// How many of the first bytes are better packed, a byte that says which of eight follow and then those: whole words up to the last one
// with at least two zeroes. 0 = none: packing would not make it shorter.
std::size_t packed_prefix(std::span<const std::byte> bytes) {
  std::size_t words = bytes.size() / 8, prefix = 0, packed = 0;
  for (std::size_t i = 0, size = 0; i < words; ++i) {
    std::size_t used = count_of(nonzero_bytes(load8(bytes.data() + i * 8)));
    size += 1 + used;
    if (used > 6) continue;
    prefix = (i + 1) * 8;
    packed = size;
  }
  constexpr std::size_t kLengthOfLength = 2;
  return packed + kLengthOfLength < prefix ? prefix : 0;
}

// What stands in the log for bytes whose number is known: all of them, or, packed, the length of the packed part, that, and the rest.
void put_literal(ByteBuffer& to, std::span<const std::byte> bytes, std::size_t prefix) {
  if (prefix == 0) return to.append(bytes);
  to.varint(prefix);
  std::byte* at = to.room(prefix + prefix / 8 + 8);
  for (std::size_t i = 0; i < prefix; i += 8) {
    std::uint64_t v = load8(bytes.data() + i);
    unsigned mask = mask_of(nonzero_bytes(v));
    *at++ = static_cast<std::byte>(mask);
    if (mask == kWholeWord) {
      std::memcpy(at, &v, 8);
      at += 8;
      continue;
    }
    for (; mask != 0; mask &= mask - 1) *at++ = static_cast<std::byte>(v >> (8 * std::countr_zero(mask)));
  }
  to.written(at);
  to.append(bytes.subspan(prefix));
}

bool read_packed(ByteReader& in, std::byte* to, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8) {
    unsigned mask = in.byte();
    std::span<const std::byte> packed = in.bytes(kBitsIn[mask]);
    if (!in.ok()) return false;
    std::uint64_t v = 0;
    if (mask == kWholeWord) {
      std::memcpy(&v, packed.data(), 8);
    } else {
      for (const std::byte* next = packed.data(); mask != 0; mask &= mask - 1) v |= static_cast<std::uint64_t>(*next++) << (8 * std::countr_zero(mask));
    }
    std::memcpy(to + i, &v, 8);
  }
  return true;
}

bool read_literal(ByteReader& in, std::byte* to, std::size_t size, bool is_packed) {
  if (is_packed) {
    std::size_t prefix = in.varint();
    if (prefix > size || prefix % 8 != 0 || !read_packed(in, to, prefix)) return false;
    to += prefix;
    size -= prefix;
  }
  auto bytes = in.bytes(size);
  if (bytes.size() != size) return false;
  if (size != 0) std::memcpy(to, bytes.data(), size);
  return in.ok();
}

std::size_t align8(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

// Makes room for an item and its line pointer; nullptr when there is none.
std::byte* place_item(std::byte* page, std::uint16_t line, std::size_t size) {
  PageView view(page);
  PageHeader& h = view.header();
  if (line == 0 || h.lower < kPageHeaderSize || h.upper > kPageSize || size == 0 || size > kPageSize) return nullptr;
  std::uint16_t count = view.line_count();
  if (line > count + 1) return nullptr;
  std::size_t lower = h.lower + (line == count + 1 ? sizeof(LinePointer) : 0);
  std::size_t aligned = align8(size);
  if (lower + aligned > h.upper) return nullptr;
  h.lower = static_cast<std::uint16_t>(lower);
  h.upper = static_cast<std::uint16_t>(h.upper - aligned);
  view.line(OffsetNumber{line}) = LinePointer::make(h.upper, LinePointer::State::normal, static_cast<std::uint16_t>(size));
  std::byte* item = page + h.upper;
  std::memset(item + size, 0, aligned - size);
  return item;
}

bool run_compact(std::byte* page) {
  PageView view(page);
  PageHeader& h = view.header();
  if (h.special > kPageSize || h.lower < kPageHeaderSize || h.lower > h.special) return false;
  alignas(8) std::byte old[kPageSize];
  std::memcpy(old, page, kPageSize);
  std::size_t upper = h.special;
  std::uint16_t count = view.line_count();
  for (std::uint16_t n = 1; n <= count; ++n) {
    LinePointer& lp = view.line(OffsetNumber{n});
    if (lp.state() != LinePointer::State::normal) continue;
    std::size_t size = align8(lp.length());
    if (lp.offset() + size > h.special || size > upper - h.lower) return false;
    upper -= size;
    std::memcpy(page + upper, old + lp.offset(), size);
    lp = LinePointer::make(static_cast<std::uint16_t>(upper), LinePointer::State::normal, lp.length());
  }
  h.upper = static_cast<std::uint16_t>(upper);
  return true;
}

bool run_add_item(std::byte* page, std::uint16_t line, ByteReader& in) {
  std::uint64_t v = in.varint();
  std::byte* item = place_item(page, line, v >> 1);
  return item != nullptr && read_literal(in, item, v >> 1, (v & 1) != 0);
}

bool run_add_item_like(std::byte* page, std::uint16_t line, ByteReader& in) {
  auto base_line = static_cast<std::uint16_t>(in.varint());
  std::size_t size = in.varint();
  std::uint64_t v = in.varint();
  std::size_t head = v >> 1;
  PageView view(page);
  if (base_line == 0 || base_line > view.line_count() || head > size) return false;
  LinePointer base_pointer = view.line(OffsetNumber{base_line});
  if (base_pointer.offset() + base_pointer.length() > kPageSize) return false;
  const std::byte* base = page + base_pointer.offset();
  std::byte* item = place_item(page, line, size);
  if (item == nullptr || !read_literal(in, item, head, (v & 1) != 0)) return false;
  for (std::size_t at = head; at < size;) {
    std::size_t copied = in.varint();
    if (copied > size - at || (copied != 0 && at + copied > base_pointer.length())) return false;
    if (copied != 0) std::memcpy(item + at, base + at, copied);
    at += copied;
    if (at == size) break;
    std::size_t literal = in.varint();
    if (literal > size - at || copied + literal == 0) return false;
    if (!read_literal(in, item + at, literal, false)) return false;
    at += literal;
  }
  return in.ok();
}

bool fits(std::size_t offset, std::size_t length) { return length <= kPageSize && offset + length <= kPageSize; }

bool run_one(std::byte* page, EditOp op, std::uint16_t argument, ByteReader& in) {
  switch (op) {
    case EditOp::write:
    case EditOp::write_packed: {
      std::size_t size = in.varint();
      return fits(argument, size) && read_literal(in, page + argument, size, op == EditOp::write_packed);
    }
    case EditOp::move: {
      std::size_t from = in.varint();
      std::size_t size = in.varint();
      if (from > kPageSize || !fits(argument, size) || !fits(from, size)) return false;
      std::memmove(page + argument, page + from, size);
      return in.ok();
    }
    case EditOp::zero: {
      std::size_t size = in.varint();
      if (!fits(argument, size)) return false;
      std::memset(page + argument, 0, size);
      return in.ok();
    }
    case EditOp::init:
      if (argument % 8 != 0 || argument >= kPageSize - kPageHeaderSize) return false;
      PageView(page).init(argument);
      return true;
    case EditOp::compact: return run_compact(page);
    case EditOp::add_item: return run_add_item(page, argument, in);
    case EditOp::add_item_like: return run_add_item_like(page, argument, in);
  }
  return false;
}

}  // namespace

bool apply_edits(std::byte* page, std::span<const std::byte> edits) {
  ByteReader in(edits);
  while (!in.at_end()) {
    unsigned word = in.byte();
    word |= static_cast<unsigned>(in.byte()) << 8;
    if (!in.ok() || !run_one(page, static_cast<EditOp>(word >> 13), static_cast<std::uint16_t>(word & 0x1FFF), in)) return false;
  }
  return true;
}

void encode_write(ByteBuffer& to, std::uint16_t offset, std::span<const std::byte> bytes) {
  std::size_t packed = packed_prefix(bytes);
  put_head(to, packed != 0 ? EditOp::write_packed : EditOp::write, offset);
  to.varint(bytes.size());
  put_literal(to, bytes, packed);
}

void encode_move(ByteBuffer& to, std::uint16_t destination, std::uint16_t source, std::uint16_t length) {
  put_head(to, EditOp::move, destination);
  to.varint(source);
  to.varint(length);
}

void encode_zero(ByteBuffer& to, std::uint16_t offset, std::uint16_t length) {
  put_head(to, EditOp::zero, offset);
  to.varint(length);
}

void encode_init(ByteBuffer& to, std::uint16_t special_size) { put_head(to, EditOp::init, special_size); }
void encode_compact(ByteBuffer& to) { put_head(to, EditOp::compact, 0); }

void encode_add_item(ByteBuffer& to, std::uint16_t line, std::span<const std::byte> bytes) {
  std::size_t packed = packed_prefix(bytes);
  put_head(to, EditOp::add_item, line);
  to.varint(bytes.size() << 1 | (packed != 0 ? 1 : 0));
  put_literal(to, bytes, packed);
}

void encode_add_item_like(ByteBuffer& to, std::uint16_t line, std::span<const std::byte> bytes, std::uint16_t base_line,
                          std::span<const std::byte> base, std::uint16_t head) {
  constexpr std::size_t kWorthCopying = 4;  // shorter equal stretches stay inside a literal
  std::size_t packed = packed_prefix(bytes.first(head));
  put_head(to, EditOp::add_item_like, line);
  to.varint(base_line);
  to.varint(bytes.size());
  to.varint(static_cast<std::uint64_t>(head) << 1 | (packed != 0 ? 1 : 0));
  put_literal(to, bytes.first(head), packed);
  std::size_t common = std::min(bytes.size(), base.size());
  auto equal_from = [&](std::size_t at) {
    std::size_t start = at;
    for (; at + 8 <= common; at += 8) {
      std::uint64_t difference = load8(bytes.data() + at) ^ load8(base.data() + at);
      if (difference != 0) return at + static_cast<std::size_t>(std::countr_zero(difference)) / 8 - start;
    }
    while (at < common && bytes[at] == base[at]) ++at;
    return at - start;
  };
  for (std::size_t at = head; at < bytes.size();) {
    std::size_t copied = equal_from(at);
    to.varint(copied);
    at += copied;
    if (at == bytes.size()) break;
    std::size_t end = at;
    for (;;) {
      ++end;
      if (end == bytes.size()) break;
      std::size_t n = equal_from(end);
      if (n >= kWorthCopying || (n > 0 && end + n == bytes.size())) break;
    }
    to.varint(end - at);
    to.append(bytes.subspan(at, end - at));
    at = end;
  }
}

}  // namespace hathi::wal
