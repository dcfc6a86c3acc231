#pragma once
// Rows kept between fetches: of RETURNING, of utility statements, of held cursors. In memory up to work_mem, then in a file.

#include <cstdint>
#include <memory>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/storage/file.h"

namespace hathi::session {

class RowStore : public executor::RowReceiver {
 public:
  explicit RowStore(const TupleDescriptor& row) : row_(&row) {}
  bool receive(const Datum* values, const bool* nulls) override;
  std::uint64_t size() const { return places_.size(); }
  void set_row(const TupleDescriptor& row) { row_ = &row; }
  // Sends row n (from 0).
  bool send(std::uint64_t n, executor::RowReceiver& receiver);

 private:
  const TupleDescriptor* row_;
  Arena arena_{8192};                       // rows in memory
  std::vector<std::uint64_t> places_;       // address in memory, or offset in the file with the low bit set
  std::unique_ptr<storage::TempFile> file_;
  std::uint64_t file_size_ = 0;
};

}  // namespace hathi::session
