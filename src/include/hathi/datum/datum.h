#pragma once
// A value of any SQL type in one machine word: by-value types inside it, others by pointer.
// By-reference layouts on disk and in memory are those of the page format below.
//
// Varying-length values ("varlena") begin with a length header:
//   first byte  xxxxxxx1 (not 00000001): short; (byte >> 1) = total length with this byte, 2..127; not aligned
//   first byte  00000001:                external (TOAST pointer, see heap/toast.h); second byte = kind
//   first word  ......00:                plain; (word >> 2) = total length with these 4 bytes; 4-aligned
//   first word  ......10:                compressed in line; (word >> 2) = total length; next word = raw size and method

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hathi/base/ids.h"
#include "hathi/memory/arena.h"

namespace hathi {

class Datum {
 public:
  constexpr Datum() = default;
  explicit constexpr Datum(std::uint64_t bits) : bits_(bits) {}
  static constexpr Datum of(bool v) { return Datum(v ? 1u : 0u); }
  static constexpr Datum of(char v) { return Datum(static_cast<std::uint64_t>(static_cast<unsigned char>(v))); }
  static constexpr Datum of(std::int16_t v) { return Datum(static_cast<std::uint64_t>(static_cast<std::int64_t>(v))); }
  static constexpr Datum of(std::int32_t v) { return Datum(static_cast<std::uint64_t>(static_cast<std::int64_t>(v))); }
  static constexpr Datum of(std::int64_t v) { return Datum(static_cast<std::uint64_t>(v)); }
  static constexpr Datum of(std::uint32_t v) { return Datum(v); }
  static constexpr Datum of(std::uint64_t v) { return Datum(v); }
  static constexpr Datum of(Oid v) { return Datum(raw(v)); }
  static constexpr Datum of(float v) { return Datum(std::bit_cast<std::uint32_t>(v)); }
  static constexpr Datum of(double v) { return Datum(std::bit_cast<std::uint64_t>(v)); }
  static Datum of(const void* v) { return Datum(reinterpret_cast<std::uint64_t>(v)); }

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool as_bool() const { return (bits_ & 0xFF) != 0; }
  constexpr char as_char() const { return static_cast<char>(bits_); }
  constexpr std::int16_t as_int16() const { return static_cast<std::int16_t>(bits_); }
  constexpr std::int32_t as_int32() const { return static_cast<std::int32_t>(bits_); }
  constexpr std::int64_t as_int64() const { return static_cast<std::int64_t>(bits_); }
  constexpr std::uint32_t as_uint32() const { return static_cast<std::uint32_t>(bits_); }
  constexpr std::uint64_t as_uint64() const { return bits_; }
  constexpr Oid as_oid() const { return Oid{static_cast<std::uint32_t>(bits_)}; }
  constexpr float as_float4() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_)); }
  constexpr double as_float8() const { return std::bit_cast<double>(bits_); }
  template <class T = std::byte>
  const T* as_pointer() const { return reinterpret_cast<const T*>(bits_); }
  constexpr bool operator==(const Datum&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

struct NullableDatum {
  Datum value;
  bool is_null = true;
};

// --- varlena --------------------------------------------------------------------------------------------------------
namespace varlena {
inline bool is_short(const std::byte* p) { return (static_cast<unsigned>(p[0]) & 1u) != 0 && static_cast<unsigned>(p[0]) != 1u; }
inline bool is_external(const std::byte* p) { return static_cast<unsigned>(p[0]) == 1u; }
inline std::uint32_t word(const std::byte* p) { std::uint32_t w; std::memcpy(&w, p, 4); return w; }
inline bool is_compressed(const std::byte* p) { return (static_cast<unsigned>(p[0]) & 3u) == 2u; }
inline bool is_plain(const std::byte* p) { return (static_cast<unsigned>(p[0]) & 3u) == 0u; }
// Short or plain: the bytes can be read in place.
inline bool is_readable(const std::byte* p) { return is_short(p) || is_plain(p); }
inline constexpr std::uint32_t kExternalSize = 18;  // bytes of a TOAST pointer with its two-byte header (not aligned)
// Bytes the value takes where it stands, header included.
inline std::uint32_t total_size(const std::byte* p) {
  if (is_external(p)) return kExternalSize;
  if (is_short(p)) return static_cast<unsigned>(p[0]) >> 1;
  return word(p) >> 2;
}
// Raw size of the payload of a value compressed in line, and its method (kCompressLz4).
inline constexpr std::uint32_t kCompressLz4 = 1;
inline std::uint32_t raw_payload_size(const std::byte* p) { return word(p + 4) & 0x3FFFFFFFu; }
inline std::uint32_t compression_method(const std::byte* p) { return word(p + 4) >> 30; }
// Header words: a plain value of `total` bytes, a compressed one, the header byte of a short one.
constexpr std::uint32_t plain_header(std::size_t total) { return static_cast<std::uint32_t>(total) << 2; }
constexpr std::uint32_t compressed_header(std::size_t total) { return (static_cast<std::uint32_t>(total) << 2) | 2u; }
constexpr std::byte short_header(std::size_t total) { return static_cast<std::byte>((total << 1) | 1u); }
// Does a plain value of `total` bytes fit a one-byte header?
constexpr bool fits_short(std::size_t total) { return total - 3 <= 127; }
// The payload of a readable value.
inline std::string_view payload(const std::byte* p) {
  const char* c = reinterpret_cast<const char*>(p);
  if (is_short(p)) return {c + 1, (static_cast<unsigned>(p[0]) >> 1) - 1};
  return {c + 4, (word(p) >> 2) - 4};
}
// A new plain value with this payload (4-byte header, 8-aligned memory).
Datum make(Arena& arena, std::string_view payload);
// A plain value of `size` payload bytes, uninitialised; the payload begins 4 bytes in.
std::byte* allocate(Arena& arena, std::size_t size);
// A readable value: the same pointer when it is already, else decompressed / fetched from TOAST into the arena.
const std::byte* readable(Datum value, Arena& arena);
// Like readable() for a pointer; errors XX001 data_corrupted when a compressed value is broken.
const std::byte* readable(const std::byte* value, Arena& arena);
// The value compressed with lz4 (allocated in the arena), or nullptr when that does not make it smaller. `value` is readable.
const std::byte* compress(const std::byte* value, Arena& arena);
// As readable(), and with the 4-byte header and 4-byte (or better) alignment: for types with inner structure (arrays, numeric, …).
const std::byte* aligned(Datum value, Arena& arena);
// The hook by which heap/ gives `readable` access to TOAST tables.
using Detoast = const std::byte* (*)(const std::byte* external, Arena& arena);
void set_detoast(Detoast function);
// Payload of text-like values, detoasted if need be.
inline std::string_view text(Datum value, Arena& arena) { return payload(readable(value, arena)); }
}  // namespace varlena

// The fixed-size value of type name: NUL-padded.
inline constexpr std::size_t kNameLength = 64;
std::string_view name_text(Datum name);
Datum make_name(Arena& arena, std::string_view text);  // truncated at 63 bytes on a character border

// The physical properties of a type.
struct TypeLayout {
  std::int16_t length = -1;   // bytes; -1 = varlena, -2 = NUL-terminated
  bool by_value = false;
  char align = 'i';           // c s i d
};
// Copies a value so that it lives in the arena (by-value: as it is).
Datum copy_datum(Datum value, TypeLayout layout, Arena& arena);
// Bytes of a by-reference value where it stands.
std::size_t datum_size(Datum value, TypeLayout layout);
// Same bits (by-value) or same bytes: not the type's equality.
bool datum_image_equal(Datum a, Datum b, TypeLayout layout);

}  // namespace hathi
