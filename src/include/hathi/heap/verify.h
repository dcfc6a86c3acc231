#pragma once
// Checking a table's pages and rows against their own rules (contrib amcheck's verify_heapam).

#include <functional>
#include <optional>
#include <string>

#include "hathi/heap/heap.h"

namespace hathi::heap {

struct VerifyOptions {
  BlockNumber first{0}, last = kInvalidBlock;   // blocks, both included; last: the table's end
  bool stop_at_error = false;                   // after the first page with something wrong
  bool check_toast = false;                     // fetches every value that is stored outside
};
// Something wrong: where, and what. offset and attribute are 0 when it is not about one row, or one column.
struct Defect {
  BlockNumber block;
  std::uint16_t offset = 0;
  int attribute = 0;
  std::string message;
};

// Pages as they are read, line pointers, row headers, transaction numbers, the bounds of every value. Throws only what is no defect of the table.
void verify(const HeapTable& table, const VerifyOptions& options, const std::function<void(const Defect&)>& report);

}  // namespace hathi::heap
