#pragma once
// Encodes rows as DataRow messages straight into the connection's buffer.

#include <cstdint>
#include <span>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/protocol/connection.h"

namespace hathi::session {

// RowDescription for the columns; targets give table and column of origin (may be empty).
void send_row_description(protocol::Connection& connection, const TupleDescriptor& row, const List<nodes::TargetEntry*>* targets,
                          std::span<const std::int16_t> formats);

class RowSender : public executor::RowReceiver {
 public:
  // formats: as in Bind: empty = text, one = all, else one a column.
  RowSender(protocol::Connection& connection, std::span<const std::int16_t> formats) : connection_(connection), formats_(formats) {}
  // Sends a RowDescription before the first row: of a simple query, when the statement has come so far that it can return rows.
  void describe_first(const List<nodes::TargetEntry*>* targets) {
    describes_ = true;
    targets_ = targets;
  }
  void start(const TupleDescriptor& row) override;
  bool receive(const Datum* values, const bool* nulls) override;

 private:
  enum class Encoding : std::uint8_t { int2_text, int4_text, int8_text, oid_text, bool_text, bytes, name_text, output_function, send_function };
  struct Column {
    Encoding encoding = Encoding::output_function;
    FunctionSite site;
    FunctionPointer function = nullptr;
  };
  void prepare_column(Column& column, const Attribute& attribute, std::int16_t format);
  void put(Column& column, Datum value);
  void put_called(Column& column, Datum value);

  protocol::Connection& connection_;
  std::span<const std::int16_t> formats_;
  std::vector<Column> columns_;
  const List<nodes::TargetEntry*>* targets_ = nullptr;
  bool describes_ = false, described_ = false;
  Arena scratch_{1024};
};

// Collects nothing: for statements whose rows nobody wants.
class NullReceiver : public executor::RowReceiver {
 public:
  bool receive(const Datum*, const bool*) override { return true; }
};

}  // namespace hathi::session
