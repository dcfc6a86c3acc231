// wal_consistency_checking: each change logs its pages once more, and recovery compares them with what it made of its own pages.

#include <algorithm>
#include <cstring>
#include <string>

#include "hathi/buffer/page_check.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/developer_settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "log_state.h"
#include "record.h"

namespace hathi::wal {

namespace {

constexpr const char* kNames[] = {"xlog", "transaction", "storage",  "clog",      "database",   "multixact",
                                  "heap", "btree",       "sequence", "freespace", "visibility", "generic"};

std::uint32_t parse(const std::string& setting) {
  std::uint32_t mask = 0;
  for (std::size_t at = 0; at < setting.size();) {
    std::size_t end = std::min(setting.find(',', at), setting.size());
    std::string name = setting.substr(at, end - at);
    std::erase_if(name, [](char c) { return c == ' '; });
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name == "all") mask = ~0u;
    for (std::uint32_t i = 0; i < std::size(kNames); ++i)
      if (name == kNames[i]) mask |= 1u << i;
    at = end + 1;
  }
  return mask;
}

// What may change without a record. The layouts are heap's and btree's (heap_page.h, btree_page.h), told apart by the special space.
constexpr std::uint16_t kRowHints = 0x0F00;        // infomask: what is known of xmin and xmax
constexpr std::size_t kRowInfomask = 20;
constexpr std::size_t kTreeFlags = 12;             // in the special space
constexpr std::uint16_t kTreeHasDead = 32;
constexpr std::uint16_t kTreeSpecial = 16;

void mask_rows(PageView page) {
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    LinePointer lp = page.line(OffsetNumber{i});
    if (lp.state() != LinePointer::State::normal || lp.offset() + kRowInfomask + 2 > kPageSize) continue;
    std::uint16_t infomask;
    std::memcpy(&infomask, page.bytes() + lp.offset() + kRowInfomask, 2);
    infomask = static_cast<std::uint16_t>(infomask & ~kRowHints);
    std::memcpy(page.bytes() + lp.offset() + kRowInfomask, &infomask, 2);
  }
}

void mask_entries(PageView page) {
  std::uint16_t flags;
  std::byte* at = page.special() + kTreeFlags;
  std::memcpy(&flags, at, 2);
  flags = static_cast<std::uint16_t>(flags & ~kTreeHasDead);
  std::memcpy(at, &flags, 2);
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    LinePointer& lp = page.line(OffsetNumber{i});
    if (lp.state() == LinePointer::State::dead) lp = LinePointer::make(lp.offset(), LinePointer::State::normal, lp.length());
  }
}

void mask(std::byte* bytes, Fork fork) {
  PageView page(bytes);
  PageHeader& h = page.header();
  h.checksum = 0;
  h.prune_hint = 0;
  h.flags = static_cast<std::uint16_t>(h.flags & ~kPageFull);
  if (!page_header_is_sane(bytes)) return;
  if (fork == Fork::main && h.special == kPageSize) mask_rows(page);
  if (fork == Fork::main && h.special == kPageSize - kTreeSpecial) mask_entries(page);
  std::memset(bytes + h.lower, 0, static_cast<std::size_t>(h.upper - h.lower));
}

}  // namespace

bool checks_consistency(ResourceManager manager) {
  static std::string parsed;
  static std::uint32_t wanted = 0;
  const std::string& setting = config::values::wal_consistency_checking;
  if (setting.empty()) [[likely]] return false;
  if (setting != parsed) {
    parsed = setting;
    wanted = parse(setting);
  }
  return (wanted >> static_cast<unsigned>(manager) & 1u) != 0;
}

void check_replayed_page(const BlockReference& b) {
  buffer::PinnedBuffer buffer = buffer::read(b.tag, buffer::ReadMode::zero_past_end);
  buffer.lock(locking::LwMode::shared);
  alignas(8) std::byte expected[kPageSize], found[kPageSize];
  if (buffer.page().is_new() || !restore_image(b, expected)) return;   // dropped or cut off later in the log
  std::memcpy(found, buffer.page().bytes(), kPageSize);
  // A page that came from disk in a newer state says nothing about redo.
  if (PageView(found).header().lsn != PageView(expected).header().lsn) return;
  mask(expected, b.tag.fork);
  mask(found, b.tag.fork);
  if (std::memcmp(expected, found, kPageSize) == 0) return;
  std::size_t at = static_cast<std::size_t>(std::mismatch(expected, expected + kPageSize, found).first - expected);
  panic(fmt::format("inconsistent page found, rel {}, blkno {}: they differ at byte {}", storage::relation_path(b.tag.file, b.tag.fork),
                    b.tag.block.value(), at));
}

}  // namespace hathi::wal
