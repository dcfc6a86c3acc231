// Damages pages of relation files. Reads lines "PATH RELATION FORK BLOCK KIND SEED" from standard input and prints what it did.
// Kinds: bits (a few flipped bits, the checksum stays as it was), and with a right checksum afterwards: header, line-pointer, row-header,
// varlena, entry, link, noise.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <random>
#include <string>

#include "hathi/buffer/page_check.h"
#include "hathi/buffer/page.h"

namespace {

using namespace hathi;

std::mt19937 chance;
std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(chance() % n); }

// A number that is likely to hurt.
std::uint16_t bad16() {
  constexpr std::uint16_t values[] = {0, 1, 2, 7, 8, 23, 35, 36, 100, 4096, 8175, 8176, 8184, 8191, 8192, 8193, 16384, 32767, 32768, 65528, 65535};
  return below(3) == 0 ? static_cast<std::uint16_t>(chance()) : values[below(std::size(values))];
}
std::uint32_t bad32() {
  constexpr std::uint32_t values[] = {0, 1, 2, 3, 4, 1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
  return below(3) == 0 ? static_cast<std::uint32_t>(chance()) : values[below(std::size(values))];
}
template <class T>
void put(std::byte* page, std::size_t at, T value) {
  if (at + sizeof(T) <= kPageSize) std::memcpy(page + at, &value, sizeof(T));
}

std::uint16_t some_line(PageView page) {
  std::uint16_t n = page.line_count();
  return n == 0 || n > 2000 ? 1 : static_cast<std::uint16_t>(1 + below(n));
}

std::string damage(std::byte* bytes, const std::string& kind) {
  PageView page(bytes);
  PageHeader& h = page.header();
  LinePointer& lp = page.line(OffsetNumber{some_line(page)});
  std::size_t item = lp.offset();
  if (kind == "header") {
    constexpr std::size_t fields[] = {12, 14, 16, 18, 20, 22, 24, 32};
    std::size_t at = fields[below(std::size(fields))];
    put(bytes, at, bad16());
    return fmt::format("header field at {}", at);
  }
  if (kind == "line-pointer") {
    switch (below(4)) {
      case 0: lp.bits = bad32(); break;
      case 1: lp = LinePointer::make(bad16() & 0x7FFF, lp.state(), lp.length()); break;
      case 2: lp = LinePointer::make(lp.offset(), lp.state(), bad16() & 0x7FFF); break;
      default: lp = LinePointer::make(lp.offset(), static_cast<LinePointer::State>(below(4)), lp.length()); break;
    }
    return "a line pointer";
  }
  if (kind == "row-header") {
    constexpr std::size_t fields[] = {0, 4, 8, 12, 14, 16, 18, 20, 22};
    std::size_t at = fields[below(std::size(fields))];
    if (at == 22) put(bytes, item + at, static_cast<std::uint8_t>(bad16()));
    else put(bytes, item + at, bad16());
    return fmt::format("row header byte {}", at);
  }
  if (kind == "varlena") {
    std::size_t at = item + 24 + below(std::max<std::uint32_t>(1, lp.length() > 24 ? lp.length() - 24u : 1u));
    constexpr std::uint8_t values[] = {0, 1, 2, 3, 4, 5, 7, 0x7F, 0x80, 0xFE, 0xFF};
    if (below(2) == 0) put(bytes, at, values[below(std::size(values))]);
    else put(bytes, at / 4 * 4, bad32());
    return fmt::format("data byte {}", at - item);
  }
  if (kind == "entry") {
    std::size_t at = below(4) * 2;
    put(bytes, item + at, bad16());
    return fmt::format("entry header byte {}", at);
  }
  if (kind == "link") {
    std::size_t at = kPageSize - 16 + below(4) * 4;
    put(bytes, at, below(2) == 0 ? below(12) : bad32());
    return fmt::format("special space byte {}", at - (kPageSize - 16));
  }
  int n = kind == "bits" ? 1 + static_cast<int>(below(4)) : 1 + static_cast<int>(below(60));
  for (int i = 0; i < n; ++i) {
    std::size_t at = below(kPageSize);
    if (kind == "bits") bytes[at] ^= static_cast<std::byte>(1u << below(8));
    else bytes[at] = static_cast<std::byte>(chance());
  }
  static_cast<void>(h);
  return fmt::format("{} {}", n, kind);
}

}  // namespace

int main() {
  std::string path, kind;
  std::uint32_t relation = 0, fork = 0, block = 0, seed = 0;
  while (std::cin >> path >> relation >> fork >> block >> kind >> seed) {
    chance.seed(seed);
    alignas(8) std::byte page[kPageSize];
    int fd = ::open(path.c_str(), O_RDWR);
    auto at = static_cast<off_t>(block) * static_cast<off_t>(kPageSize);
    if (fd < 0 || ::pread(fd, page, kPageSize, at) != static_cast<ssize_t>(kPageSize)) return std::fprintf(stderr, "cannot read %s\n", path.c_str()), 1;
    std::string what = damage(page, kind);
    BlockTag tag{{Oid{1663}, Oid{5}, Oid{relation}}, static_cast<Fork>(fork), BlockNumber{block}};
    if (kind != "bits") PageView(page).header().checksum = page_checksum(tag, page);
    if (::pwrite(fd, page, kPageSize, at) != static_cast<ssize_t>(kPageSize)) return std::fprintf(stderr, "cannot write %s\n", path.c_str()), 1;
    ::close(fd);
    std::printf("%s block %u: %s\n", path.c_str(), block, what.c_str());
  }
  return 0;
}
