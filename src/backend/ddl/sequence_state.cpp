#include "sequence_state.h"

#include <map>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/log.h"
#include "hathi/wal/page_edit.h"
#include "sequence_options.h"

namespace hathi::ddl {

namespace {

// Values that one log record covers.
constexpr std::int64_t kValuesPerRecord = 32;
constexpr std::uint8_t kLogState = 0;

// The row's data: last_value at 0, log_cnt at 8, is_called at 16.
constexpr std::size_t kCalledOffset = 16;

SequenceState state_at(const std::byte* data) {
  SequenceState s;
  std::memcpy(&s.last_value, data, 8);
  std::memcpy(&s.log_count, data + 8, 8);
  s.is_called = data[kCalledOffset] != std::byte{0};
  return s;
}

// Where the row's data begins in the page; checked, since the page comes from disk.
std::uint16_t data_offset(PageView page, std::string_view name) {
  bool sound = page.line_count() >= 1 && page.line(kFirstOffset).state() == LinePointer::State::normal &&
               page.line(kFirstOffset).length() >= kHeapTupleHeaderSize + 17;
  if (!sound) throw SqlError(sqlstate::data_corrupted, "bad data in sequence \"{}\"", name);
  const auto* header = reinterpret_cast<const HeapTupleHeader*>(page.item(kFirstOffset));
  if (header->hoff + 17 > page.line(kFirstOffset).length()) throw SqlError(sqlstate::data_corrupted, "bad data in sequence \"{}\"", name);
  return static_cast<std::uint16_t>(page.line(kFirstOffset).offset() + header->hoff);
}

// Logs `logged` and leaves `state` in the page: a crash then skips values instead of repeating them.
void store(const catalog::Relation& sequence, buffer::PinnedBuffer& pin, std::uint16_t at, const SequenceState& logged, const SequenceState& state) {
  wal::Change change(wal::ResourceManager::sequence, kLogState, sequence.persistence == 'p');
  wal::PageEdit& edit = change.page(pin);
  std::byte bytes[17];
  std::memcpy(bytes, &logged.last_value, 8);
  std::memcpy(bytes + 8, &logged.log_count, 8);
  bytes[kCalledOffset] = std::byte{logged.is_called};
  edit.write(at, bytes);
  change.apply();
  std::memcpy(pin.page().bytes() + at, &state.last_value, 8);
  std::memcpy(pin.page().bytes() + at + 8, &state.log_count, 8);
  pin.page().bytes()[at + kCalledOffset] = std::byte{state.is_called};
  pin.mark_dirty();
}

buffer::PinnedBuffer read_page(const catalog::Relation& sequence) { return buffer::read({sequence.file, Fork::main, BlockNumber{0}}); }

void create_page(const catalog::Relation& sequence, Fork fork, const SequenceState& state) {
  buffer::PinnedBuffer pin = buffer::extend(sequence.file, fork, 1);
  Arena arena(256);
  Datum values[] = {Datum::of(state.last_value), Datum::of(state.log_count), Datum::of(state.is_called)};
  bool nulls[] = {false, false, false};
  HeapTuple tuple = form_tuple(*sequence.descriptor, values, nulls, arena);
  auto* header = const_cast<HeapTupleHeader*>(tuple.header);
  header->xmin = static_cast<std::uint32_t>(kFrozenXid.value());
  header->infomask |= infomask::xmin_frozen | infomask::xmax_invalid;
  header->set_ctid({BlockNumber{0}, kFirstOffset});
  std::byte image[kPageSize];
  PageView page(image);
  page.init(8);
  auto place = static_cast<std::uint16_t>((page.header().special - tuple.size) & ~7u);
  std::memcpy(image + place, tuple.header, tuple.size);
  page.header().upper = place;
  page.header().lower = kPageHeaderSize + sizeof(LinePointer);
  page.line(kFirstOffset) = LinePointer::make(place, LinePointer::State::normal, static_cast<std::uint16_t>(tuple.size));
  wal::Change change(wal::ResourceManager::sequence, kLogState, sequence.persistence == 'p' || fork == Fork::init);
  change.page(pin).image(image);
  change.apply();
}

// --- what this session knows of sequences --------------------------------------------------------------------------------------
struct Cached {
  RelationFile file;                 // cached values are void when the storage was replaced
  bool has_last = false;
  std::int64_t last = 0, cached = 0; // last given out, last reserved
  std::int64_t increment = 1;
};
std::map<Oid, Cached> cache;
Oid last_used = kInvalidOid;

SequenceParameters read_parameters(Oid sequence) {
  namespace c = catalog::pg_sequence;
  Arena arena(512);
  catalog::CatalogTable table(catalog_oid::pg_sequence, locking::LockMode::access_share);
  auto row = table.find({{c::seqrelid, Datum::of(sequence)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for sequence {}", raw(sequence));
  SequenceParameters p;
  p.type = row->get(c::seqtypid).as_oid();
  p.start = row->get(c::seqstart).as_int64();
  p.increment = row->get(c::seqincrement).as_int64();
  p.max = row->get(c::seqmax).as_int64();
  p.min = row->get(c::seqmin).as_int64();
  p.cache = row->get(c::seqcache).as_int64();
  p.cycle = row->get(c::seqcycle).as_bool();
  return p;
}

catalog::RelationRef open_sequence(Oid oid) {
  catalog::RelationRef r = catalog::open_relation(oid, locking::LockMode::row_exclusive);
  if (r->kind != catalog::relation_kind::sequence) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a sequence", r->name);
  return r;
}

void require_privilege(const catalog::Relation& r, std::uint32_t any_of) {
  if ((catalog::relation_privileges(r.oid, catalog::current_role(), any_of) & any_of) == 0) catalog::throw_permission_denied("sequence", r.name);
}

[[noreturn]] void reached_end(const catalog::Relation& r, const SequenceParameters& p) {
  if (p.increment > 0) {
    throw SqlError(sqlstate::sequence_generator_limit_exceeded, "nextval: reached maximum value of sequence \"{}\" ({})", r.name, p.max);
  }
  throw SqlError(sqlstate::sequence_generator_limit_exceeded, "nextval: reached minimum value of sequence \"{}\" ({})", r.name, p.min);
}

// The value after `value`; false when there is none and the sequence does not cycle.
bool step(std::int64_t& value, const SequenceParameters& p) {
  std::int64_t next;
  bool over = __builtin_add_overflow(value, p.increment, &next) || next > p.max || next < p.min;
  if (!over) {
    value = next;
    return true;
  }
  if (!p.cycle) return false;
  value = p.increment > 0 ? p.min : p.max;
  return true;
}

std::int64_t next_value(Oid oid, bool check_privileges) {
  catalog::RelationRef r = open_sequence(oid);
  if (check_privileges) require_privilege(*r, nodes::kAclUsage | nodes::kAclUpdate);
  if (r->persistence != 't') transaction::require_writable("nextval()");
  Cached& known = cache[oid];
  if (known.file != r->file) known = {r->file};
  last_used = oid;
  if (known.has_last && known.last != known.cached) return known.last += known.increment;

  SequenceParameters p = read_parameters(oid);
  buffer::PinnedBuffer pin = read_page(*r);
  pin.lock(locking::LwMode::exclusive);
  std::uint16_t at = data_offset(pin.page(), r->name);
  SequenceState state = state_at(pin.page().bytes() + at);
  bool must_log = state.log_count < p.cache || !state.is_called || pin.page().header().lsn <= wal::redo_position();
  std::int64_t first = state.last_value;
  if (state.is_called && !step(first, p)) reached_end(*r, p);
  std::int64_t last = first, taken = 1;
  while (taken < p.cache) {
    std::int64_t next = last;
    SequenceParameters no_cycle = p;
    no_cycle.cycle = false;
    if (!step(next, no_cycle)) break;
    last = next;
    ++taken;
  }
  SequenceState now{last, state.log_count - taken, true};
  if (must_log) {
    std::int64_t ahead = last, spare = 0;
    while (spare < kValuesPerRecord) {
      if (!step(ahead, p)) break;
      ++spare;
    }
    now.log_count = spare;
    if (r->persistence != 't') transaction::current_xid();   // the record must be flushed with the commit
    store(*r, pin, at, {ahead, 0, true}, now);
  } else {
    std::memcpy(pin.page().bytes() + at, &now.last_value, 8);
    std::memcpy(pin.page().bytes() + at + 8, &now.log_count, 8);
    pin.page().bytes()[at + kCalledOffset] = std::byte{1};
    pin.mark_dirty();
  }
  pin.unlock();
  known.has_last = true;
  known.increment = p.increment;
  known.last = first;
  known.cached = last;
  return first;
}

void set_value(Oid oid, std::int64_t value, bool is_called) {
  catalog::RelationRef r = open_sequence(oid);
  require_privilege(*r, nodes::kAclUpdate);
  if (r->persistence != 't') transaction::require_writable("setval()");
  SequenceParameters p = read_parameters(oid);
  if (value < p.min || value > p.max) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "setval: value {} is out of bounds for sequence \"{}\" ({}..{})", value, r->name, p.min, p.max);
  }
  Cached& known = cache[oid];
  known = {r->file};
  if (is_called) {
    known.has_last = true;
    known.last = known.cached = value;
    known.increment = p.increment;
  }
  if (r->persistence != 't') transaction::current_xid();
  write_sequence_state(*r, {value, 0, is_called});
}

Datum nextval(FunctionCall& call) { return Datum::of(next_value(call.arg(0).as_oid(), true)); }

Datum currval(FunctionCall& call) {
  catalog::RelationRef r = open_sequence(call.arg(0).as_oid());
  require_privilege(*r, nodes::kAclSelect | nodes::kAclUsage);
  auto it = cache.find(r->oid);
  if (it == cache.end() || !it->second.has_last) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "currval of sequence \"{}\" is not yet defined in this session", r->name);
  }
  return Datum::of(it->second.last);
}

Datum lastval(FunctionCall&) {
  catalog::RelationRef r = is_valid(last_used) ? catalog::try_open_relation(last_used, locking::LockMode::row_exclusive) : catalog::RelationRef();
  if (!r) throw SqlError(sqlstate::object_not_in_prerequisite_state, "lastval is not yet defined in this session");
  require_privilege(*r, nodes::kAclSelect | nodes::kAclUsage);
  return Datum::of(cache[last_used].last);
}

Datum setval(FunctionCall& call) {
  set_value(call.arg(0).as_oid(), call.arg(1).as_int64(), true);
  return call.arg(1);
}

Datum setval_called(FunctionCall& call) {
  set_value(call.arg(0).as_oid(), call.arg(1).as_int64(), call.arg(2).as_bool());
  return call.arg(1);
}

// NULL until the first value was taken.
Datum sequence_last_value(FunctionCall& call) {
  catalog::RelationRef r = open_sequence(call.arg(0).as_oid());
  if ((catalog::relation_privileges(r->oid, catalog::current_role(), nodes::kAclSelect | nodes::kAclUsage) & (nodes::kAclSelect | nodes::kAclUsage)) == 0) {
    catalog::throw_permission_denied("sequence", r->name);
  }
  SequenceState state = read_sequence_state(*r);
  return state.is_called ? Datum::of(state.last_value) : call.null();
}

Datum sequence_parameters(FunctionCall& call) {
  catalog::RelationRef r = open_sequence(call.arg(0).as_oid());
  require_privilege(*r, nodes::kAclSelect | nodes::kAclUsage | nodes::kAclUpdate);
  SequenceParameters p = read_parameters(r->oid);
  Datum values[] = {Datum::of(p.start), Datum::of(p.min), Datum::of(p.max), Datum::of(p.increment), Datum::of(p.cycle), Datum::of(p.cache), Datum::of(p.type)};
  bool nulls[7] = {};
  Arena& arena = call.arena();
  constexpr Oid kTypes[] = {type_oid::int8, type_oid::int8, type_oid::int8, type_oid::int8, type_oid::bool_, type_oid::int8, type_oid::oid};
  constexpr std::string_view kNames[] = {"start_value", "minimum_value", "maximum_value", "increment", "cycle_option", "cache_size", "data_type"};
  TupleDescriptor* row = make_descriptor(arena, 7);
  for (int i = 0; i < 7; ++i) {
    Attribute& a = row->attributes[static_cast<std::size_t>(i)];
    a.name = kNames[i];
    a.type = kTypes[i];
    a.layout = catalog::type_info(kTypes[i]).layout;
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  return make_record(*row, values, nulls, arena);
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1574}, nextval}, {Oid{1575}, currval}, {Oid{2559}, lastval}, {Oid{1576}, setval}, {Oid{1765}, setval_called},
    {Oid{4032}, sequence_last_value}, {Oid{3078}, sequence_parameters},
};

}  // namespace

void create_sequence_state(Oid sequence, const SequenceState& state) {
  catalog::RelationRef r = catalog::open_relation(sequence, locking::LockMode::none);
  create_page(*r, Fork::main, state);
  if (r->persistence == 'u') create_page(*r, Fork::init, state);
}

SequenceState read_sequence_state(const catalog::Relation& sequence) {
  buffer::PinnedBuffer pin = read_page(sequence);
  pin.lock(locking::LwMode::shared);
  SequenceState state = state_at(pin.page().bytes() + data_offset(pin.page(), sequence.name));
  pin.unlock();
  return state;
}

void write_sequence_state(const catalog::Relation& sequence, const SequenceState& state) {
  buffer::PinnedBuffer pin = read_page(sequence);
  pin.lock(locking::LwMode::exclusive);
  store(sequence, pin, data_offset(pin.page(), sequence.name), state, state);
  pin.unlock();
}

std::int64_t next_identity_value(Oid sequence) { return next_value(sequence, false); }

void forget_sequence_values() {
  cache.clear();
  last_used = kInvalidOid;
}

void register_sequence_functions() { register_functions(kFunctions); }

}  // namespace hathi::ddl
