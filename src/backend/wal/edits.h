#pragma once
// The language of page edits: what a Change collects, apply() runs and redo runs again.
//
// Each edit begins with two bytes: operation << 13 | argument (an offset or a number below 8192), little-endian. Varints follow.
//   write         offset   length, bytes
//   write_packed  offset   length, bytes packed: how many of them (a multiple of 8) come as a mask for each eight of those that are not zero,
//                          and these; then the rest as it is
//   move          to       from, length
//   zero          offset   length
//   init          special size
//   compact
//   add_item      line     length << 1 | packed, bytes (as write or write_packed)
//   add_item_like line     base line, total length, head length << 1 | packed, head, then runs (copied, literal length, literal) to the end

#include <cstdint>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/wal/encoding.h"

namespace hathi::wal {

enum class EditOp : std::uint8_t { write, write_packed, move, zero, init, compact, add_item, add_item_like };

// Runs the edits on a page. False when one does not fit the page (then the page is spoilt).
bool apply_edits(std::byte* page, std::span<const std::byte> edits);

// Encoders: append one edit.
void encode_write(ByteBuffer& to, std::uint16_t offset, std::span<const std::byte> bytes);
void encode_move(ByteBuffer& to, std::uint16_t destination, std::uint16_t source, std::uint16_t length);
void encode_zero(ByteBuffer& to, std::uint16_t offset, std::uint16_t length);
void encode_init(ByteBuffer& to, std::uint16_t special_size);
void encode_compact(ByteBuffer& to);
void encode_add_item(ByteBuffer& to, std::uint16_t line, std::span<const std::byte> bytes);
void encode_add_item_like(ByteBuffer& to, std::uint16_t line, std::span<const std::byte> bytes, std::uint16_t base_line,
                          std::span<const std::byte> base, std::uint16_t head);

}  // namespace hathi::wal
