#pragma once
// The only way a logged page is changed: a Change lists edits to one or more exclusively locked pages; apply() makes them and
// logs them in one critical section. Redo applies the same edits with the same code, so do and redo cannot differ.

#include <cstddef>
#include <cstdint>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/buffer/buffer_pool.h"

namespace hathi::wal {

// Who wrote a record: pg_waldump's name for it and the owner of its main data.
enum class ResourceManager : std::uint8_t {
  log,
  transaction,
  storage,
  commit_log,
  database,
  multixact,
  heap,
  btree,
  sequence,
  free_space,
  visibility,
  generic
};

// The edits of one page inside a Change. All offsets are byte positions in the page. Edits take effect at apply(), in order.
class PageEdit {
 public:
  // Writes bytes at offset.
  void write(std::uint16_t offset, std::span<const std::byte> bytes);
  template <class T>
  void write_value(std::uint16_t offset, const T& value) { write(offset, std::as_bytes(std::span<const T, 1>(&value, 1))); }
  // memmove inside the page (shift line pointers; copy the unchanged parts of an old row version to the new one).
  void move(std::uint16_t to, std::uint16_t from, std::uint16_t length);
  // Zeroes.
  void zero(std::uint16_t offset, std::uint16_t length);
  // Formats the page afresh with that much special space; redo does not read the old page.
  void init(std::uint16_t special_size);
  // The whole new content of the page (8192 bytes); the hole is not logged.
  void image(const std::byte* page);
  // Adds an item at line pointer n (the next one, or one in use for nothing): `upper` goes down by the 8-aligned size, the line pointer
  // becomes normal, a new last one raises `lower`. Shorter in the log than the writes it stands for.
  void add_item(OffsetNumber n, std::span<const std::byte> bytes);
  // The same for an item whose bytes after the first `head` are mostly those of item `base` at the same
  // place (a new row version): only the differences are logged. base's bytes must not be changed by earlier edits of this Change,
  // nor hold hint bits after the first `head`.
  void add_item_like(OffsetNumber n, std::span<const std::byte> bytes, OffsetNumber base, std::uint16_t head);
  // Packs the items of all normal line pointers towards the special space, in line-pointer order, and sets `upper`:
  // deterministic, so the record carries nothing else. Earlier edits of line pointers take part.
  void compact();

 private:
  friend class Change;
  friend struct ChangeAccess;
  class Change* change_ = nullptr;
  int index_ = 0;
};

class Change {
 public:
  // info: the operation, for pg_waldump (each manager's own numbers 0-15). logged = false for unlogged and temporary relations:
  // then apply() only edits.
  Change(ResourceManager manager, std::uint8_t info, bool logged);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  // Adds a page (at most 32); the buffer must be exclusively locked from here to apply() and outlive it.
  PageEdit& page(buffer::PinnedBuffer& buffer);
  // Data for redo functions or for readers of the log (the manager's own format).
  void data(std::span<const std::byte> bytes);
  // Writes with many zero bytes are logged compactly; no need to split them.
  // Assigns the current transaction's xid to the record (decided by transaction/: kInvalidXid for none).
  void xid(Xid xid);
  // Edits, logs, marks dirty, sets page LSNs. A failure inside is a PANIC. Returns the record's end.
  Lsn apply();

 private:
  friend class PageEdit;
  friend struct ChangeAccess;
  struct State;
  State* state_;   // pooled: one per nesting depth, no allocation on the OLTP path
};

}  // namespace hathi::wal
