#pragma once
// global/pg_control: where recovery begins. Replaced as a whole (new file, sync, rename), so it is either the old or the new one.

#include <cstdint>

#include "hathi/wal/log.h"

namespace hathi::wal {

enum class DatabaseState : std::uint32_t { starting_up = 0, shut_down = 1, shutting_down = 3, in_crash_recovery = 4, in_production = 6 };

// On disk as it stands here, little-endian, padded with zeroes to 8192 bytes.
struct ControlFile {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t system_identifier;
  std::uint32_t state;
  std::uint32_t timeline;
  std::int64_t time;               // last update, seconds since 1970
  std::uint64_t checkpoint;        // start of the latest checkpoint record
  std::uint64_t checkpoint_end;
  std::uint64_t redo;
  std::int64_t checkpoint_time;
  std::uint32_t incarnation;       // of the records from redo on
  std::uint32_t checksums;
  Counters counters;
  std::uint32_t crc;               // over all before
};
inline constexpr std::uint32_t kControlMagic = 0x48415448;
inline constexpr std::uint32_t kControlVersion = 2;

// Throws when it is missing or damaged.
ControlFile read_control();
// Stamps time and crc. A failure is a PANIC.
void write_control(ControlFile control);

}  // namespace hathi::wal
