#pragma once
// A disk that fails on purpose. It stands between storage/, wal/ and the real file system, in one process, and knows at any time what a loss
// of power would leave: contents that were synced, names whose directory was synced. What was not may survive or not, piece by piece.
//
// Works in the current directory (a data directory); files that are unlinked or overwritten by rename are kept in ../trash until the end.

#include <cstddef>
#include <cstdint>

namespace hathi::crash {

enum class Fault : std::uint8_t {
  none,
  power_loss,      // the power goes before the call; a write may be torn
  process_crash,   // the process dies there; what it wrote stays
  io_error,        // EIO
  disk_full,       // ENOSPC from calls that need room
  short_write,     // a write that does half of its work
  failed_sync,     // a sync fails, and what it should have written is lost for good, as Linux does it
};
inline constexpr int kFaultCount = 7;
const char* fault_name(Fault fault);

struct FaultPlan {
  Fault fault = Fault::none;
  std::uint64_t at = 0;        // the how-manieth call of the fault's kind, from 1
  std::uint64_t count = 1;     // calls that fail from there on
  std::size_t piece = 4096;    // what the disk writes whole: 512 or 4096 bytes
  std::uint32_t seed = 0;
};

// end_of_life: called at a crash, after the power loss if there is one; must not return.
void install_disk(const FaultPlan& plan, void (*end_of_life)());
// Calls so far that the fault could have hit.
std::uint64_t calls_of(Fault fault);
bool fault_happened();
// Back to what is on the disk for certain, and a random part of the rest.
void lose_power();

}  // namespace hathi::crash
