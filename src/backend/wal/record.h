#pragma once
// The bytes of a record.
//
//   size  field
//      4  checksum   over the rest, the record's position and the log's incarnation: a stale record in a reused file never passes
//      1  manager << 4 | info
//      1  bit 0: has xid; bits 2-7: number of blocks
//   1-10  total length, varint
//  (1-10) xid, varint
//      …  blocks
//      …  main data, to the end
//
// A block:
//      1  flags below, bits 0-1: fork
//      …  tablespace (unless default), database, relation (varints; absent when same as the previous block's)
//      …  block number, varint
//      …  kBlockImage: hole offset, hole length, then with kBlockCompressed the stored size (varints); the bytes without the hole
//      …  kBlockEdits: length (varint), edits (edits.h)

#include <cstdint>
#include <span>
#include <vector>

#include "hathi/wal/encoding.h"
#include "hathi/wal/log.h"
#include "hathi/wal/page_edit.h"

namespace hathi::wal {

inline constexpr std::uint8_t kBlockSameRelation = 4;
inline constexpr std::uint8_t kBlockDefaultTablespace = 8;
inline constexpr std::uint8_t kBlockImage = 16;
inline constexpr std::uint8_t kBlockCompressed = 32;
inline constexpr std::uint8_t kBlockInit = 64;     // the edits begin by formatting the page
inline constexpr std::uint8_t kBlockEdits = 128;

inline constexpr std::size_t kChecksumSize = 4;
inline constexpr std::size_t kHeaderReserve = kChecksumSize + 2 + 2 * kMaxVarint;
inline constexpr std::size_t kMinRecord = 7;
inline constexpr std::uint64_t kMaxRecord = 1u << 30;
// Bytes that surely contain a record's length.
inline constexpr std::size_t kLengthPrefix = kChecksumSize + 2 + 5;

struct BlockReference {
  BlockTag tag;
  std::uint8_t flags = 0;
  std::uint16_t hole_offset = 0, hole_length = 0;
  std::span<const std::byte> image;
  std::span<const std::byte> edits;
};

struct DecodedRecord {
  ResourceManager manager{};
  std::uint8_t info = 0;
  Xid xid;
  Lsn start, end;
  std::vector<BlockReference> blocks;
  std::span<const std::byte> data;
};

// Part of the checksum that does not depend on the position; bytes begin after the checksum field.
std::uint64_t hash_record(std::span<const std::byte> bytes);
std::uint32_t finish_checksum(std::uint64_t hash, std::uint64_t position, std::uint32_t incarnation);
// The total length as the prefix says it; 0 when there is no sensible one.
std::uint64_t record_length(std::span<const std::byte> prefix);
// False when the contents make no sense. Spans point into `bytes` (the whole record).
bool decode_record(std::span<const std::byte> bytes, Lsn start, DecodedRecord& out);
// Rebuilds the page from an image. False when it is malformed.
bool restore_image(const BlockReference& block, std::byte* page);

// Collects a record in process memory. One user at a time.
class RecordBuilder {
 public:
  void begin() { bytes_.reset(kHeaderReserve); block_count_ = 0; }
  void block(const BlockTag& tag, std::uint8_t flags, const std::byte* image_page, std::span<const std::byte> edits);
  void data(std::span<const std::byte> bytes) { bytes_.append(bytes); }
  // The finished record, checksum still open. Valid until the next begin().
  std::span<std::byte> finish(ResourceManager manager, std::uint8_t info, Xid xid);
  // Gives memory back after a big record.
  void trim() { bytes_.trim(kKeep); }

 private:
  static constexpr std::size_t kKeep = 64 * 1024;
  void image(const std::byte* page, std::uint8_t& flags);
  ByteBuffer bytes_;
  RelationFile previous_;
  int block_count_ = 0;
};

// Reserves space and copies the record. decided_redo: the redo position by which images were left out, or nullptr when that does not
// matter; when it moved meanwhile nothing is inserted and kInvalidLsn returned. Returns the record's end. start: its beginning.
Lsn insert_record(std::span<std::byte> record, const std::uint64_t* decided_redo, Lsn* start = nullptr);

}  // namespace hathi::wal
