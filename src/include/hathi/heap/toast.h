#pragma once
// TOAST: values too big for a page are compressed and cut into chunks in a table of their own. The heap does the cutting; the
// layers above open the TOAST table, and btree/ works its index (chunk_id, chunk_seq).
//
// A pointer in the row (18 bytes, unaligned):
//   offset size field
//        0    1 1   (external)
//        1    1 18  (kind: on disk)
//        2    4 raw size (the value with a four-byte header)
//        6    4 size in chunks (30 bits), compression method (2 bits)
//       10    4 value's id (chunk_id)
//       14    4 OID of the TOAST table
// A chunk: chunk_id oid, chunk_seq int4 (from 0), chunk_data bytea of at most 1996 bytes.

#include <functional>
#include <vector>

#include "hathi/heap/heap.h"

namespace hathi::heap {

struct ToastPointer {
  std::uint32_t raw_size = 0;    // header included
  std::uint32_t external = 0;    // bytes in chunks | method << 30
  Oid value_id = kInvalidOid;
  Oid table = kInvalidOid;
  std::uint32_t external_size() const { return external & 0x3FFFFFFFu; }
  std::uint32_t method() const { return external >> 30; }
  bool is_compressed() const { return external_size() < raw_size - 4; }
};
ToastPointer read_toast_pointer(const std::byte* external);

// An open TOAST table: `index` is the opener's (btree::BTreeIndex).
struct ToastTable {
  HeapTable heap;
  const void* index = nullptr;                // the one to read by
  std::vector<const void*> more_indexes;      // others that get entries too, while REINDEX CONCURRENTLY replaces one
  void* opener = nullptr;
};

// How to open and close one (catalog/ or whoever is above). open locks the table: for_write RowExclusive, else AccessShare.
using ToastOpen = ToastTable (*)(Oid table, bool for_write);
using ToastClose = void (*)(ToastTable& table);
void set_toast_access(ToastOpen open, ToastClose close);

// Index work, registered by btree/ (register_toast_index()). find calls visit with the row positions of the chunks first..last of a
// value in order of chunk_seq; last < 0 = all.
struct ToastIndex {
  void (*insert)(const ToastTable& table, Oid value_id, std::int32_t sequence, TupleId row);
  void (*find)(const ToastTable& table, Oid value_id, std::int32_t first, std::int32_t last, void (*visit)(void* context, TupleId row),
               void* context);
};
void set_toast_index(const ToastIndex& index);

// The bytes [offset, offset + length) of an external value's payload as a plain varlena; uncompressed values fetch only the chunks
// they need. length < 0 = to the end. Errors XX001 "missing chunk number …", "unexpected chunk …".
const std::byte* fetch_slice(const std::byte* external, std::int64_t offset, std::int64_t length, Arena& arena);
// The payload's size without fetching it; the bytes it takes on disk (pg_column_size).
std::uint32_t raw_payload_size(Datum value);
std::uint32_t stored_size(Datum value);

// Makes varlena::readable() work for external values. Once a process start (before the first fork).
void register_detoast();

}  // namespace hathi::heap
