#include "record.h"

#include <lz4.h>

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hathi/config/settings.h"
#include "hathi/storage/file.h"

namespace hathi::wal {

std::uint64_t hash_record(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint32_t finish_checksum(std::uint64_t hash, std::uint64_t position, std::uint32_t incarnation) {
  std::uint64_t h = hash ^ (position * 0x9E3779B97F4A7C15u) ^ (static_cast<std::uint64_t>(incarnation) << 32 | incarnation);
  h ^= h >> 31;
  h *= 0xD6E8FEB86659FD93u;
  return static_cast<std::uint32_t>(h >> 32);
}

std::uint64_t record_length(std::span<const std::byte> prefix) {
  ByteReader in(prefix);
  in.bytes(kChecksumSize + 2);
  std::uint64_t length = in.varint();
  return in.ok() && length >= kMinRecord && length <= kMaxRecord ? length : 0;
}

void RecordBuilder::image(const std::byte* page, std::uint8_t& flags) {
  PageHeader h;
  std::memcpy(static_cast<void*>(&h), page, kPageHeaderSize);
  std::size_t hole = 0, hole_length = 0;
  constexpr std::size_t kWorthCutting = 32;
  if (h.lower >= kPageHeaderSize && h.lower <= h.upper && h.upper <= h.special && h.special <= kPageSize &&
      h.upper - h.lower >= static_cast<int>(kWorthCutting)) {
    hole = h.lower;
    hole_length = static_cast<std::size_t>(h.upper - h.lower);
  }
  bytes_.varint(hole);
  bytes_.varint(hole_length);
  std::byte joined[kPageSize];
  std::size_t size = kPageSize - hole_length;
  std::memcpy(joined, page, hole);
  std::memcpy(joined + hole, page + hole + hole_length, size - hole);
  if (config::values::wal_compression != 0) {
    char packed[kPageSize];
    int n = LZ4_compress_default(reinterpret_cast<const char*>(joined), packed, static_cast<int>(size), static_cast<int>(size - 1));
    if (n > 0) {
      flags |= kBlockCompressed;
      bytes_.varint(static_cast<std::uint64_t>(n));
      bytes_.append(std::as_bytes(std::span(packed, static_cast<std::size_t>(n))));
      return;
    }
  }
  bytes_.append(std::span<const std::byte>(joined, size));
}

void RecordBuilder::block(const BlockTag& tag, std::uint8_t flags, const std::byte* image_page, std::span<const std::byte> edits) {
  std::size_t flags_at = bytes_.size();
  flags |= static_cast<std::uint8_t>(tag.fork);
  bytes_.byte({});
  if (block_count_ > 0 && tag.file == previous_) {
    flags |= kBlockSameRelation;
  } else {
    if (tag.file.tablespace == storage::kDefaultTablespace) flags |= kBlockDefaultTablespace;
    else bytes_.varint(raw(tag.file.tablespace));
    bytes_.varint(raw(tag.file.database));
    bytes_.varint(raw(tag.file.relation));
    previous_ = tag.file;
  }
  bytes_.varint(tag.block.value());
  if (image_page != nullptr) {
    flags |= kBlockImage;
    image(image_page, flags);
  }
  if (!edits.empty()) {
    flags |= kBlockEdits;
    bytes_.varint(edits.size());
    bytes_.append(edits);
  }
  bytes_.data()[flags_at] = static_cast<std::byte>(flags);
  ++block_count_;
}

std::span<std::byte> RecordBuilder::finish(ResourceManager manager, std::uint8_t info, Xid xid) {
  bool has_xid = xid != kInvalidXid;
  std::size_t body = bytes_.size() - kHeaderReserve;
  std::size_t without_length = kChecksumSize + 2 + (has_xid ? varint_size(xid.value()) : 0) + body;
  std::size_t length_size = 1;
  while (varint_size(without_length + length_size) > length_size) ++length_size;
  std::size_t total = without_length + length_size;
  std::byte* start = bytes_.data() + bytes_.size() - total;
  std::byte* at = start + kChecksumSize;
  *at++ = static_cast<std::byte>(static_cast<unsigned>(manager) << 4 | (info & 15u));
  *at++ = static_cast<std::byte>((has_xid ? 1u : 0u) | static_cast<unsigned>(block_count_) << 2);
  at = write_varint(at, total);
  if (has_xid) at = write_varint(at, xid.value());
  return {start, total};
}

namespace {

bool decode_block(ByteReader& in, const RelationFile* previous, BlockReference& b) {
  b.flags = in.byte();
  b.tag.fork = static_cast<Fork>(b.flags & 3);
  if ((b.flags & kBlockSameRelation) != 0) {
    if (previous == nullptr) return false;
    b.tag.file = *previous;
  } else {
    b.tag.file.tablespace = (b.flags & kBlockDefaultTablespace) != 0 ? storage::kDefaultTablespace : Oid{static_cast<std::uint32_t>(in.varint())};
    b.tag.file.database = Oid{static_cast<std::uint32_t>(in.varint())};
    b.tag.file.relation = Oid{static_cast<std::uint32_t>(in.varint())};
  }
  b.tag.block = BlockNumber{static_cast<std::uint32_t>(in.varint())};
  if ((b.flags & kBlockImage) != 0) {
    std::uint64_t hole = in.varint();
    std::uint64_t length = in.varint();
    if (hole > kPageSize || length > kPageSize || hole + length > kPageSize) return false;
    b.hole_offset = static_cast<std::uint16_t>(hole);
    b.hole_length = static_cast<std::uint16_t>(length);
    std::size_t stored = (b.flags & kBlockCompressed) != 0 ? in.varint() : kPageSize - length;
    b.image = in.bytes(stored);
  }
  if ((b.flags & kBlockEdits) != 0) b.edits = in.bytes(in.varint());
  return in.ok();
}

}  // namespace

bool decode_record(std::span<const std::byte> bytes, Lsn start, DecodedRecord& out) {
  ByteReader in(bytes);
  in.bytes(kChecksumSize);
  std::uint8_t who = in.byte();
  std::uint8_t what = in.byte();
  std::uint64_t length = in.varint();
  if (!in.ok() || length != bytes.size()) return false;
  out.manager = static_cast<ResourceManager>(who >> 4);
  out.info = who & 15;
  out.xid = (what & 1) != 0 ? Xid{in.varint()} : kInvalidXid;
  out.start = start;
  out.end = start + length;
  out.blocks.clear();
  for (int n = what >> 2; n > 0; --n) {
    BlockReference b;
    if (!decode_block(in, out.blocks.empty() ? nullptr : &out.blocks.back().tag.file, b)) return false;
    out.blocks.push_back(b);
  }
  out.data = in.rest();
  return in.ok();
}

bool restore_image(const BlockReference& b, std::byte* page) {
  std::size_t size = kPageSize - b.hole_length;
  std::byte joined[kPageSize];
  if ((b.flags & kBlockCompressed) != 0) {
    int n = LZ4_decompress_safe(reinterpret_cast<const char*>(b.image.data()), reinterpret_cast<char*>(joined), static_cast<int>(b.image.size()),
                                static_cast<int>(size));
    if (n != static_cast<int>(size)) return false;
  } else {
    if (b.image.size() != size) return false;
    std::memcpy(joined, b.image.data(), size);
  }
  std::memcpy(page, joined, b.hole_offset);
  std::memset(page + b.hole_offset, 0, b.hole_length);
  std::memcpy(page + b.hole_offset + b.hole_length, joined + b.hole_offset, size - b.hole_offset);
  return true;
}

}  // namespace hathi::wal
