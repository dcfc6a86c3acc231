// Arrays as text and in binary; int2vector and oidvector.

#include <algorithm>

#include <fmt/format.h>

#include "hathi/base/builtin_oids.h"
#include "hathi/config/session_settings.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "hathi/types/binary.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

class ArrayParser {
 public:
  ArrayParser(std::string_view text, Oid element_type, std::int32_t typmod, Arena& arena)
      : text_(text), info_(catalog::type_info(element_type)), input_(element_type), typmod_(typmod), arena_(arena) {}

  Datum run() {
    bool has_bounds = bounds();
    if (peek() != '{') {
      malformed(has_bounds ? "Array contents must start with \"{\"." : "Array value must start with \"{\" or dimension information.");
    }
    level(0);
    skip_space();
    if (at_ < text_.size()) malformed("Junk after closing right brace.");
    if (values_.empty()) {
      if (has_bounds) malformed("Specified array dimensions do not match array contents.");
      return make_empty_array(arena_, info_.oid);
    }
    if (has_bounds && (bound_count_ != dimensions_ || !std::equal(lengths_, lengths_ + dimensions_, bound_lengths_))) {
      malformed("Specified array dimensions do not match array contents.");
    }
    return make_array(arena_, info_.oid, info_.layout, values_.begin(), nulls_.begin(), dimensions_, lengths_, lowers_);
  }

 private:
  [[noreturn]] void malformed(std::string_view detail) const {
    throw SqlError(sqlstate::invalid_text_representation, "malformed array literal: \"{}\"", text_).detail(std::string(detail));
  }
  [[noreturn]] void unexpected(char c) const { malformed(fmt::format("Unexpected \"{}\" character.", c)); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  int bound(std::string_view missing) {
    bool negative = peek() == '-';
    if (negative || peek() == '+') ++at_;
    std::size_t start = at_;
    std::int64_t v = 0;
    for (; is_digit(peek()); ++at_) v = std::min<std::int64_t>(v * 10 + (peek() - '0'), 2147483648);
    if (at_ == start) malformed(missing);
    return static_cast<int>(std::clamp<std::int64_t>(negative ? -v : v, -2147483648LL, 2147483647));
  }
  // [lower:upper]…=
  bool bounds() {
    std::fill_n(lowers_, kMaxDimensions, 1);
    skip_space();
    while (peek() == '[') {
      ++at_;
      if (bound_count_ >= kMaxDimensions) too_many_dimensions(bound_count_ + 1);
      int first = bound("\"[\" must introduce explicitly-specified array dimensions.");
      int lower = 1;
      int upper = first;
      if (peek() == ':') {
        ++at_;
        lower = first;
        upper = bound("Missing array dimension value.");
      }
      if (peek() != ']') malformed("Missing \"]\" after array dimensions.");
      ++at_;
      if (upper < lower) throw SqlError(sqlstate::array_subscript_error, "upper bound cannot be less than lower bound");
      std::int64_t length = static_cast<std::int64_t>(upper) - lower + 1;
      if (length > kMaxArrayElements * 2) length = kMaxArrayElements * 2;
      lowers_[bound_count_] = lower;
      bound_lengths_[bound_count_++] = static_cast<int>(length);
      skip_space();
    }
    if (bound_count_ == 0) return false;
    if (peek() != '=') malformed("Missing \"=\" after array dimensions.");
    ++at_;
    skip_space();
    return true;
  }
  [[noreturn]] static void too_many_dimensions(int n) {
    throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", n, kMaxDimensions);
  }

  // From "{" to its "}". Elements stand at one depth only, and sub-arrays of a level have the same length.
  void level(int depth) {
    if (depth >= kMaxDimensions) {
      int n = depth;
      for (std::size_t i = at_; i < text_.size() && (text_[i] == '{' || is_space(text_[i])); ++i) n += text_[i] == '{' ? 1 : 0;
      too_many_dimensions(n);
    }
    ++at_;
    int count = 0;
    skip_space();
    if (peek() == '}') {
      if (depth > 0) unexpected('}');
      ++at_;
      return;
    }
    for (;;) {
      skip_space();
      if (at_ >= text_.size()) malformed("Unexpected end of input.");
      if (peek() == '{') {
        if (leaf_depth_ >= 0 && depth >= leaf_depth_) unexpected('{');
        level(depth + 1);
      } else {
        if (leaf_depth_ >= 0 && depth != leaf_depth_) {
          if (peek() == '}' || peek() == info_.delimiter) unexpected(peek());
          malformed("Unexpected array element.");
        }
        leaf_depth_ = depth;
        element();
      }
      ++count;
      skip_space();
      if (at_ >= text_.size()) malformed("Unexpected end of input.");
      char c = text_[at_++];
      if (c == '}') break;
      if (c == '{') unexpected(c);
      if (c != info_.delimiter) malformed("Unexpected array element.");
    }
    if (lengths_[depth] == 0) {
      lengths_[depth] = count;
      dimensions_ = std::max(dimensions_, depth + 1);
    } else if (lengths_[depth] != count) {
      malformed("Multidimensional arrays must have sub-arrays with matching dimensions.");
    }
  }

  void element() {
    std::string value;
    bool quoted = peek() == '"';
    bool escaped = false;
    if (quoted) {
      ++at_;
      for (;; ++at_) {
        if (at_ >= text_.size()) malformed("Unexpected end of input.");
        if (peek() == '"') break;
        if (peek() == '\\' && ++at_ >= text_.size()) malformed("Unexpected end of input.");
        value += text_[at_];
      }
      ++at_;
    } else {
      std::size_t kept = 0;  // trailing blanks beyond here were not escaped
      for (; at_ < text_.size() && peek() != '}' && peek() != info_.delimiter; ++at_) {
        char c = peek();
        if (c == '"') malformed("Unexpected array element.");
        if (c == '{') unexpected(c);
        if (c == '\\') {
          if (++at_ >= text_.size()) malformed("Unexpected end of input.");
          value += text_[at_];
          kept = value.size();
          escaped = true;
          continue;
        }
        value += c;
        if (!is_space(c)) kept = value.size();
      }
      value.resize(kept);
      if (at_ >= text_.size()) malformed("Unexpected end of input.");
      if (value.empty()) unexpected(peek());
    }
    if (values_.size() >= static_cast<std::size_t>(kMaxArrayElements)) {
      throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxArrayElements);
    }
    bool is_null = !quoted && !escaped && config::values::array_nulls && equals_ignoring_case(value, "null");
    values_.push_back(arena_, is_null ? Datum() : input_(arena_.copy(value), typmod_, arena_));
    nulls_.push_back(arena_, is_null);
  }

  std::string_view text_;
  const catalog::TypeInfo& info_;
  InputFunction input_;
  std::int32_t typmod_;
  Arena& arena_;
  std::size_t at_ = 0;
  int bound_count_ = 0;
  int bound_lengths_[kMaxDimensions] = {};
  int lowers_[kMaxDimensions] = {};
  int lengths_[kMaxDimensions] = {};
  int dimensions_ = 0;
  int leaf_depth_ = -1;
  List<Datum> values_;
  List<bool> nulls_;
};

Datum array_in(FunctionCall& call) {
  std::int32_t typmod = call.site->argument_count > 2 ? call.arg(2).as_int32() : -1;
  return ArrayParser(call.arg(0).as_pointer<char>(), call.arg(1).as_oid(), typmod, call.arena()).run();
}

bool needs_quotes(std::string_view text, char delimiter) {
  if (text.empty() || equals_ignoring_case(text, "null")) return true;
  return std::any_of(text.begin(), text.end(), [&](char c) { return c == '"' || c == '\\' || c == '{' || c == '}' || c == delimiter || is_space(c); });
}

CString array_out(FunctionCall& call, Datum value) {
  ArrayView array = whole_array(value, call.arena());
  const catalog::TypeInfo& info = catalog::type_info(array.element_type());
  OutputFunction output(info.oid);
  int n = array.dimensions();
  if (array.count() == 0) return {"{}"};
  std::string result;
  bool default_bounds = true;
  for (int i = 0; i < n; ++i) default_bounds = default_bounds && array.lower(i) == 1;
  if (!default_bounds) {
    for (int i = 0; i < n; ++i) fmt::format_to(std::back_inserter(result), "[{}:{}]", array.lower(i), array.upper(i));
    result += '=';
  }
  ArrayCursor cursor(array, info.layout);
  NullableDatum element;
  int position[kMaxDimensions] = {};
  result.append(static_cast<std::size_t>(n), '{');
  for (bool more = cursor.next(element); more;) {
    if (element.is_null) {
      result += "NULL";
    } else {
      std::string_view text = output(element.value, call.arena());
      if (needs_quotes(text, info.delimiter)) {
        result += '"';
        for (char c : text) {
          if (c == '"' || c == '\\') result += '\\';
          result += c;
        }
        result += '"';
      } else {
        result += text;
      }
    }
    more = cursor.next(element);
    int closed = 0;
    for (int i = n - 1; i >= 0 && ++position[i] == array.length(i); --i) {
      position[i] = 0;
      result += '}';
      ++closed;
    }
    if (more) {
      result += info.delimiter;
      result.append(static_cast<std::size_t>(closed), '{');
    }
  }
  return make_cstring(call, result);
}

// --- binary ---------------------------------------------------------------------------------------------------------------
// dimensions, has-nulls flag, element type; length and lower bound of each dimension; each element's length (-1 = NULL) and bytes.
template <class T> void append_big_endian(std::string& to, T value) {
  char bytes[sizeof(T)];
  put_big_endian(bytes, static_cast<std::make_unsigned_t<T>>(value));
  to.append(bytes, sizeof bytes);
}

Datum array_send(FunctionCall& call) {
  ArrayView array = whole_array(call.arg(0), call.arena());
  const catalog::TypeInfo& info = catalog::type_info(array.element_type());
  std::string result;
  append_big_endian(result, std::int32_t{array.dimensions()});
  append_big_endian(result, std::int32_t{array.has_nulls() ? 1 : 0});
  append_big_endian(result, raw(info.oid));
  for (int i = 0; i < array.dimensions(); ++i) {
    append_big_endian(result, std::int32_t{array.length(i)});
    append_big_endian(result, std::int32_t{array.lower(i)});
  }
  ArrayCursor cursor(array, info.layout);
  NullableDatum element;
  while (cursor.next(element)) {
    if (element.is_null) {
      append_big_endian(result, std::int32_t{-1});
      continue;
    }
    if (!is_valid(info.send)) {
      throw SqlError(sqlstate::undefined_function, "no binary output function available for type {}", catalog::format_type(info.oid));
    }
    std::string_view bytes = varlena::text(call_function(info.send, call.arena(), {element.value}), call.arena());
    append_big_endian(result, static_cast<std::int32_t>(bytes.size()));
    result += bytes;
  }
  return varlena::make(call.arena(), result);
}

[[noreturn]] void throw_bad_binary(std::string_view what) { throw SqlError(sqlstate::invalid_binary_representation, "{}", what); }

Datum array_recv(FunctionCall& call) {
  auto& reader = *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>());
  Oid wanted = call.arg(1).as_oid();
  std::int32_t typmod = call.site->argument_count > 2 ? call.arg(2).as_int32() : -1;
  int dimensions = reader.integer<std::int32_t>();
  if (dimensions < 0) throw SqlError(sqlstate::invalid_binary_representation, "invalid number of dimensions: {}", dimensions);
  if (dimensions > kMaxDimensions) {
    throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", dimensions, kMaxDimensions);
  }
  auto flags = reader.integer<std::int32_t>();
  if (flags != 0 && flags != 1) throw_bad_binary("invalid array flags");
  Oid element_type{reader.integer<std::uint32_t>()};
  if (element_type != wanted) {
    throw SqlError(sqlstate::datatype_mismatch, "binary data has array element type {} ({}) instead of expected {} ({})", raw(element_type),
                   catalog::format_type(element_type), raw(wanted), catalog::format_type(wanted));
  }
  int lengths[kMaxDimensions];
  int lowers[kMaxDimensions];
  std::int64_t count = dimensions == 0 ? 0 : 1;
  for (int i = 0; i < dimensions; ++i) {
    lengths[i] = reader.integer<std::int32_t>();
    lowers[i] = reader.integer<std::int32_t>();
    if (lengths[i] < 0) throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxArrayElements);
    count *= lengths[i];
    if (count > kMaxArrayElements) throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxArrayElements);
  }
  // Every element takes four bytes at least: a false count is found out before memory is taken for it.
  if (static_cast<std::uint64_t>(count) * 4 > reader.left()) throw SqlError(sqlstate::protocol_violation, "insufficient data left in message");
  const catalog::TypeInfo& info = catalog::type_info(element_type);
  auto n = static_cast<std::size_t>(count);
  auto* values = call.arena().make_array<Datum>(n);
  auto* nulls = call.arena().make_array<bool>(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto size = reader.integer<std::int32_t>();
    if (size == -1) {
      nulls[i] = true;
      continue;
    }
    if (size < -1) throw_bad_binary("insufficient data left in message");
    std::string_view bytes = reader.bytes(static_cast<std::size_t>(size));
    if (!is_valid(info.receive)) {
      throw SqlError(sqlstate::undefined_function, "no binary input function available for type {}", catalog::format_type(info.oid));
    }
    BinaryReader part{bytes.data(), bytes.data() + bytes.size()};
    values[i] = call_function(info.receive, call.arena(), {Datum::of(static_cast<const void*>(&part)), Datum::of(io_parameter(info)), Datum::of(typmod)});
    if (part.left() != 0) throw SqlError(sqlstate::invalid_binary_representation, "improper binary format in array element {}", i + 1);
  }
  return make_array(call.arena(), element_type, info.layout, values, nulls, dimensions, lengths, lowers);
}

// --- int2vector, oidvector ---------------------------------------------------------------------------------------------------
constexpr TypeLayout kInt2{2, true, 's'};
constexpr TypeLayout kOid{4, true, 'i'};

// One dimension from 0, even when there are no elements.
Datum make_vector(Arena& arena, Oid element_type, TypeLayout layout, const List<Datum>& values) {
  if (values.empty()) {
    std::byte* base = varlena::allocate(arena, 20);
    const std::int32_t words[5] = {1, 0, static_cast<std::int32_t>(raw(element_type)), 0, 0};
    std::memcpy(base + 4, words, sizeof words);
    return Datum::of(static_cast<const void*>(base));
  }
  int length = static_cast<int>(values.size());
  int lower = 0;
  return make_array(arena, element_type, layout, values.begin(), nullptr, 1, &length, &lower);
}

std::string_view skip_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}
std::string_view next_word(std::string_view& text) {
  text = skip_space(text);
  std::size_t n = 0;
  while (n < text.size() && !is_space(text[n])) ++n;
  std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  return word;
}

Datum int2vectorin(FunctionCall& call) {
  std::string_view text = call.arg(0).as_pointer<char>();
  List<Datum> values;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    values.push_back(call.arena(), Datum::of(parse_integer<std::int16_t>(word)));
  }
  return make_vector(call.arena(), type_oid::int2, kInt2, values);
}
Datum oidvectorin(FunctionCall& call) {
  std::string_view text = call.arg(0).as_pointer<char>();
  List<Datum> values;
  for (text = skip_space(text); !text.empty(); text = skip_space(text)) {
    UnsignedScan scan = scan_unsigned(text, 10);
    if (scan.used == 0) throw_invalid_syntax("oid", text);
    std::uint64_t v = scan.value;
    if (scan.overflow || (v > 0xFFFFFFFFu && v != static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v))))) {
      throw_value_out_of_range("oid", text);
    }
    values.push_back(call.arena(), Datum::of(static_cast<std::uint32_t>(v)));
    text.remove_prefix(scan.used);
  }
  return make_vector(call.arena(), type_oid::oid, kOid, values);
}
template <bool IsOid> CString vector_out(FunctionCall& call, Datum value) {
  ArrayView array = whole_array(value, call.arena());
  ArrayCursor cursor(array, IsOid ? kOid : kInt2);
  NullableDatum element;
  std::string result;
  while (cursor.next(element)) {
    if (!result.empty()) result += ' ';
    result += IsOid ? std::to_string(element.value.as_uint32()) : std::to_string(element.value.as_int16());
  }
  return make_cstring(call, result);
}
template <bool IsOid> Datum vector_recv(FunctionCall& call) {
  NullableDatum args[3] = {{call.arg(0), false}, {Datum::of(IsOid ? type_oid::oid : type_oid::int2), false}, {Datum::of(std::int32_t{-1}), false}};
  FunctionSite site;
  site.argument_count = 3;
  FunctionCall inner = call;
  inner.site = &site;
  inner.args = args;
  Datum value = array_recv(inner);
  ArrayView array(value.as_pointer());
  if (array.dimensions() > 1 || array.has_nulls() || (array.dimensions() == 1 && array.lower(0) != 0)) {
    throw_bad_binary(IsOid ? "invalid oidvector data" : "invalid int2vector data");
  }
  if (array.dimensions() == 0) return make_vector(call.arena(), IsOid ? type_oid::oid : type_oid::int2, IsOid ? kOid : kInt2, {});
  return value;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{750}, fn<array_in>},
    {Oid{751}, fn<array_out>},
    {Oid{2400}, fn<array_recv>},
    {Oid{2401}, fn<array_send>},
    {Oid{2297}, fn<array_out>},
    {Oid{2503}, fn<array_send>},
    {Oid{5089}, fn<array_out>},
    {Oid{5091}, fn<array_send>},
    {Oid{40}, fn<int2vectorin>},
    {Oid{41}, fn<vector_out<false>>},
    {Oid{2410}, fn<vector_recv<false>>},
    {Oid{2411}, fn<array_send>},
    {Oid{54}, fn<oidvectorin>},
    {Oid{55}, fn<vector_out<true>>},
    {Oid{2420}, fn<vector_recv<true>>},
    {Oid{2421}, fn<array_send>},
};

}  // namespace

std::span<const BuiltinFunction> array_io_functions() { return kTable; }

}  // namespace hathi::types
