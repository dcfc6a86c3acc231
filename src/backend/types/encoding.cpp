// encode(), decode(), message digests.

#include "encoding.h"

#include <openssl/evp.h>

#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

std::string to_hex_text(std::string_view bytes) {
  std::string result(bytes.size() * 2, '\0');
  char* p = result.data();
  for (char c : bytes) {
    auto b = static_cast<unsigned char>(c);
    *p++ = "0123456789abcdef"[b >> 4];
    *p++ = "0123456789abcdef"[b & 15];
  }
  return result;
}

namespace {

// The first character at `at`, whole, for messages.
std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t n = 1;
  while (at + n < text.size() && (static_cast<unsigned char>(text[at + n]) & 0xC0) == 0x80) ++n;
  return text.substr(at, n);
}

int hex_value(std::string_view text, std::size_t at) {
  char c = to_lower_ascii(text[at]);
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw SqlError(sqlstate::invalid_parameter_value, "invalid hexadecimal digit: \"{}\"", character_at(text, at));
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

std::string from_hex_text(std::string_view text) {
  std::string result;
  result.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    int high = hex_value(text, i++);
    if (i >= text.size()) throw_invalid_parameter("invalid hexadecimal data: odd number of digits");
    result += static_cast<char>(high << 4 | hex_value(text, i++));
  }
  return result;
}

std::string to_escape_text(std::string_view bytes) {
  std::string result;
  for (char c : bytes) {
    auto b = static_cast<unsigned char>(c);
    if (c == '\\') {
      result += "\\\\";
    } else if (b < 0x20 || b > 0x7E) {
      result += '\\';
      result += static_cast<char>('0' + (b >> 6));
      result += static_cast<char>('0' + (b >> 3 & 7));
      result += static_cast<char>('0' + (b & 7));
    } else {
      result += c;
    }
  }
  return result;
}

std::string from_escape_text(std::string_view text) {
  auto is_octal = [&](std::size_t i, char top) { return i < text.size() && text[i] >= '0' && text[i] <= top; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      result += '\\';
      ++i;
    } else if (is_octal(i + 1, '3') && is_octal(i + 2, '7') && is_octal(i + 3, '7')) {
      result += static_cast<char>((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 | (text[i + 3] - '0'));
      i += 3;
    } else {
      throw SqlError(sqlstate::invalid_text_representation, "invalid input syntax for type {}", "bytea");
    }
  }
  return result;
}

namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Lines of 76 characters.
std::string to_base64(std::string_view bytes) {
  std::string result;
  std::size_t line = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) result += k <= n ? kBase64[group >> (18 - 6 * k) & 63] : '=';
    line += 4;
    if (line >= 76 && i + 3 < bytes.size()) {
      result += '\n';
      line = 0;
    } else if (line >= 76) {
      result += '\n';
    }
  }
  return result;
}

std::string from_base64(std::string_view text) {
  std::string result;
  std::uint32_t group = 0;
  int position = 0;
  int end = 0;  // 1 = "==" seen its first =, 2 = one byte missing
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (is_blank(c)) continue;
    std::uint32_t value = 0;
    if (c == '=') {
      if (end == 0) {
        if (position == 2) end = 1;
        else if (position == 3) end = 2;
        else throw SqlError(sqlstate::invalid_parameter_value, "unexpected \"=\" while decoding base64 sequence");
      }
    } else {
      std::size_t at = kBase64.find(c);
      if (at == std::string_view::npos) {
        throw SqlError(sqlstate::invalid_parameter_value, "invalid symbol \"{}\" found while decoding base64 sequence", character_at(text, i));
      }
      value = static_cast<std::uint32_t>(at);
    }
    group = group << 6 | value;
    if (++position == 4) {
      result += static_cast<char>(group >> 16);
      if (end == 0 || end > 1) result += static_cast<char>(group >> 8);
      if (end == 0 || end > 2) result += static_cast<char>(group);
      group = 0;
      position = 0;
    }
  }
  if (position != 0) {
    throw SqlError(sqlstate::invalid_parameter_value, "invalid base64 end sequence")
        .hint("Input data is missing padding, is truncated, or is otherwise corrupted.");
  }
  return result;
}

enum class Encoding { hex, base64, escape };
Encoding encoding_of(std::string_view name) {
  if (equals_ignoring_case(name, "hex")) return Encoding::hex;
  if (equals_ignoring_case(name, "base64")) return Encoding::base64;
  if (equals_ignoring_case(name, "escape")) return Encoding::escape;
  throw SqlError(sqlstate::invalid_parameter_value, "unrecognized encoding: \"{}\"", name);
}

// encode() leaves printable bytes below 128 alone and shows only NUL and bytes above.
std::string encode_escape(std::string_view bytes) {
  std::string result;
  for (char c : bytes) {
    auto b = static_cast<unsigned char>(c);
    if (c == '\\') result += "\\\\";
    else if (b == 0 || b >= 0x80) result += fmt::format("\\{:03o}", b);
    else result += c;
  }
  return result;
}

std::string binary_encode(std::string_view bytes, std::string_view encoding) {
  switch (encoding_of(encoding)) {
    case Encoding::hex: return to_hex_text(bytes);
    case Encoding::base64: return to_base64(bytes);
    case Encoding::escape: break;
  }
  return encode_escape(bytes);
}
std::string binary_decode(std::string_view text, std::string_view encoding) {
  switch (encoding_of(encoding)) {
    case Encoding::hex: return from_hex_text(text);
    case Encoding::base64: return from_base64(text);
    case Encoding::escape: break;
  }
  return from_escape_text(text);
}

std::string digest(std::string_view bytes, const EVP_MD* method) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int n = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out, &n, method, nullptr) != 1) {
    throw SqlError(sqlstate::internal_error, "could not compute {} hash", EVP_MD_get0_name(method));
  }
  return {reinterpret_cast<const char*>(out), n};
}
std::string md5(std::string_view bytes) { return to_hex_text(digest(bytes, EVP_md5())); }
std::string sha224_bytea(std::string_view bytes) { return digest(bytes, EVP_sha224()); }
std::string sha256_bytea(std::string_view bytes) { return digest(bytes, EVP_sha256()); }
std::string sha384_bytea(std::string_view bytes) { return digest(bytes, EVP_sha384()); }
std::string sha512_bytea(std::string_view bytes) { return digest(bytes, EVP_sha512()); }

constexpr BuiltinFunction kTable[] = {
    {Oid{1946}, fn<binary_encode>},
    {Oid{1947}, fn<binary_decode>},
    {Oid{2311}, fn<md5>},
    {Oid{2321}, fn<md5>},
    {Oid{3419}, fn<sha224_bytea>},
    {Oid{3420}, fn<sha256_bytea>},
    {Oid{3421}, fn<sha384_bytea>},
    {Oid{3422}, fn<sha512_bytea>},
};

}  // namespace

std::span<const BuiltinFunction> encoding_functions() { return kTable; }

}  // namespace hathi::types
