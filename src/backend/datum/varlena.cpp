#include <lz4.h>

#include <algorithm>

#include "hathi/datum/datum.h"
#include "hathi/error/sql_error.h"

namespace hathi {

namespace varlena {

namespace {

Detoast detoast_function = nullptr;
constexpr std::size_t kLargestVarlena = 0x3FFFFFFF;

[[noreturn]] void throw_corrupt() { throw SqlError(sqlstate::data_corrupted, "compressed lz4 data is corrupt"); }

const std::byte* decompress(const std::byte* p, Arena& arena) {
  std::uint32_t total = word(p) >> 2;
  std::uint32_t raw = raw_payload_size(p);
  if (total < 8) throw_corrupt();
  if (compression_method(p) != kCompressLz4) {
    throw SqlError(sqlstate::data_corrupted, "invalid compression method id {}", compression_method(p));
  }
  std::byte* out = allocate(arena, raw);
  int got = LZ4_decompress_safe(reinterpret_cast<const char*>(p + 8), reinterpret_cast<char*>(out + 4), static_cast<int>(total - 8),
                                static_cast<int>(raw));
  if (got != static_cast<int>(raw)) throw_corrupt();
  return out;
}

}  // namespace

std::byte* allocate(Arena& arena, std::size_t size) {
  if (size > kLargestVarlena - 4) {
    throw SqlError(sqlstate::program_limit_exceeded, "invalid memory alloc request size {}", size);
  }
  auto* p = static_cast<std::byte*>(arena.allocate(size + 4, 8));
  std::uint32_t header = plain_header(size + 4);
  std::memcpy(p, &header, 4);
  return p;
}

Datum make(Arena& arena, std::string_view payload) {
  std::byte* p = allocate(arena, payload.size());
  if (!payload.empty()) std::memcpy(p + 4, payload.data(), payload.size());
  return Datum::of(p);
}

void set_detoast(Detoast function) { detoast_function = function; }

const std::byte* readable(const std::byte* p, Arena& arena) {
  if (is_readable(p)) [[likely]] return p;
  if (is_external(p)) {
    if (detoast_function == nullptr) throw SqlError(sqlstate::internal_error, "no access to TOAST tables");
    p = detoast_function(p, arena);
    if (is_readable(p)) return p;
  }
  return decompress(p, arena);
}

const std::byte* readable(Datum value, Arena& arena) { return readable(value.as_pointer(), arena); }

const std::byte* aligned(Datum value, Arena& arena) {
  const std::byte* p = readable(value.as_pointer(), arena);
  if (is_plain(p) && (reinterpret_cast<std::uintptr_t>(p) & 3) == 0) return p;
  return make(arena, payload(p)).as_pointer();
}

const std::byte* compress(const std::byte* value, Arena& arena) {
  std::string_view raw = payload(value);
  // Small values gain nothing, and more than the format's 30 bits (or lz4's int) cannot be described.
  if (raw.size() < 32 || raw.size() > static_cast<std::size_t>(LZ4_MAX_INPUT_SIZE)) return nullptr;
  // Room for less than the original: what does not shrink is not kept.
  std::size_t room = raw.size() - raw.size() / 16;
  auto* out = static_cast<std::byte*>(arena.allocate(room + 8, 8));
  int got = LZ4_compress_default(raw.data(), reinterpret_cast<char*>(out + 8), static_cast<int>(raw.size()), static_cast<int>(room));
  if (got <= 0 || static_cast<std::size_t>(got) + 8 >= raw.size()) return nullptr;
  std::uint32_t header = compressed_header(static_cast<std::size_t>(got) + 8);
  std::uint32_t info = static_cast<std::uint32_t>(raw.size()) | (kCompressLz4 << 30);
  std::memcpy(out, &header, 4);
  std::memcpy(out + 4, &info, 4);
  return out;
}

}  // namespace varlena

std::string_view name_text(Datum name) {
  const char* p = name.as_pointer<char>();
  return {p, strnlen(p, kNameLength)};
}

Datum make_name(Arena& arena, std::string_view text) {
  std::size_t size = std::min(text.size(), kNameLength - 1);
  // Not in the middle of a character: step back over continuation bytes.
  if (size < text.size()) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  }
  auto* p = static_cast<char*>(arena.allocate(kNameLength, 8));
  if (size != 0) std::memcpy(p, text.data(), size);
  std::memset(p + size, 0, kNameLength - size);
  return Datum::of(p);
}

std::size_t datum_size(Datum value, TypeLayout layout) {
  if (layout.length > 0) return static_cast<std::size_t>(layout.length);
  if (layout.length == -1) return varlena::total_size(value.as_pointer());
  return std::strlen(value.as_pointer<char>()) + 1;
}

Datum copy_datum(Datum value, TypeLayout layout, Arena& arena) {
  if (layout.by_value) return value;
  std::size_t size = datum_size(value, layout);
  void* p = arena.allocate(size, 8);
  std::memcpy(p, value.as_pointer(), size);
  return Datum::of(p);
}

bool datum_image_equal(Datum a, Datum b, TypeLayout layout) {
  if (layout.by_value) {
    // Only the type's own bytes: the rest of the word depends on how the value was made.
    if (layout.length >= 8) return a.bits() == b.bits();
    std::uint64_t mask = (std::uint64_t{1} << (8 * layout.length)) - 1;
    return ((a.bits() ^ b.bits()) & mask) == 0;
  }
  const std::byte* p = a.as_pointer();
  const std::byte* q = b.as_pointer();
  if (p == q) return true;
  if (layout.length == -1 && varlena::is_readable(p) && varlena::is_readable(q)) return varlena::payload(p) == varlena::payload(q);
  std::size_t size = datum_size(a, layout);
  return size == datum_size(b, layout) && std::memcmp(p, q, size) == 0;
}

}  // namespace hathi
