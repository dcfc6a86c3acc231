// Bounds as the catalog stores them and as SQL shows them.
//
// Stored: {PARTITIONBOUND s d m r k… list}: strategy, 1 for the default, modulus, remainder, one letter a datum (v value, n NULL, - MINVALUE,
// + MAXVALUE; range: lower then upper) or "." for none, and the list of the values as constants.

#include "internal.h"

#include <charconv>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::partition {

namespace {

constexpr std::string_view kHead = "{PARTITIONBOUND ";

[[noreturn]] void damaged() { throw SqlError(sqlstate::internal_error, "damaged partition bound"); }

nodes::Constant* constant_of(const KeyColumn& c, Datum value, Arena& arena) {
  auto* k = nodes::make<nodes::Constant>(arena);
  k->type = c.type;
  k->typmod = c.typmod;
  k->collation = c.collation;
  k->layout = c.layout;
  k->value = value;
  return k;
}

// The next word of the head.
std::string_view word(std::string_view& text) {
  std::size_t space = text.find(' ');
  if (space == std::string_view::npos) damaged();
  std::string_view found = text.substr(0, space);
  text.remove_prefix(space + 1);
  return found;
}

int number(std::string_view& text) {
  std::string_view w = word(text);
  int value = 0;
  auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
  if (error != std::errc() || end != w.data() + w.size()) damaged();
  return value;
}

// The values in turn.
class Values {
 public:
  explicit Values(const List<nodes::Expr*>& list) : list_(list) {}
  Datum next() {
    if (at_ >= list_.size() || !nodes::is<nodes::Constant>(list_[at_]) || nodes::as<nodes::Constant>(list_[at_])->is_null) damaged();
    return nodes::as<nodes::Constant>(list_[at_++])->value;
  }
 private:
  const List<nodes::Expr*>& list_;
  std::uint32_t at_ = 0;
};

std::span<const RangeDatum> read_ends(std::string_view kinds, Values& values, Arena& arena) {
  auto* out = arena.make_array<RangeDatum>(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    switch (kinds[i]) {
      case '-': out[i].kind = RangeDatum::Kind::minimum; break;
      case '+': out[i].kind = RangeDatum::Kind::maximum; break;
      case 'v': out[i].value = values.next(); break;
      default: damaged();
    }
  }
  return {out, kinds.size()};
}

std::string literal(const KeyColumn& c, Datum value) {
  Arena arena(512);
  std::string_view text = call_function(catalog::type_info(c.type).output, arena, {value}).as_pointer<char>();
  switch (raw(c.type)) {
    case raw(type_oid::bool_): return text == "t" ? "true" : "false";
    case raw(type_oid::int4):
      if (!text.starts_with('-')) return std::string(text);
      break;
    case raw(type_oid::numeric):
      if (!text.empty() && text[0] >= '0' && text[0] <= '9' && text.find_first_of("eE.") != std::string_view::npos) return std::string(text);
      break;
    default: break;
  }
  return catalog::quote_literal(text);
}

}  // namespace

std::string range_end_to_sql(std::span<const RangeDatum> end, const PartitionKey& key) {
  std::string text = "(";
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (i > 0) text += ", ";
    if (end[i].kind == RangeDatum::Kind::minimum) text += "MINVALUE";
    else if (end[i].kind == RangeDatum::Kind::maximum) text += "MAXVALUE";
    else text += literal(key.columns[i], end[i].value);
  }
  return text + ")";
}

std::string bound_to_text(const Bound& b, const PartitionKey& key) {
  Arena arena(2048);
  std::string kinds;
  List<nodes::Expr*> list;
  for (const NullableDatum& v : b.values) {
    kinds += v.is_null ? 'n' : 'v';
    if (!v.is_null) list.push_back(arena, constant_of(key.columns[0], v.value, arena));
  }
  for (std::span<const RangeDatum> end : {b.lower, b.upper}) {
    for (std::size_t i = 0; i < end.size(); ++i) {
      kinds += end[i].kind == RangeDatum::Kind::value ? 'v' : end[i].kind == RangeDatum::Kind::minimum ? '-' : '+';
      if (end[i].kind == RangeDatum::Kind::value) list.push_back(arena, constant_of(key.columns[i], end[i].value, arena));
    }
  }
  if (kinds.empty()) kinds = ".";
  return fmt::format("{}{} {} {} {} {} {}}}", kHead, static_cast<char>(b.strategy), b.is_default ? 1 : 0, b.modulus, b.remainder, kinds, nodes::to_text(list));
}

bool is_bound_text(std::string_view text) { return text.starts_with(kHead); }

Bound bound_from_text(std::string_view text, const PartitionKey& key, Arena& arena) {
  if (!is_bound_text(text) || !text.ends_with('}')) damaged();
  text = text.substr(kHead.size(), text.size() - kHead.size() - 1);
  Bound b;
  std::string_view strategy = word(text);
  if (strategy.size() != 1 || strategy[0] != static_cast<char>(key.strategy)) damaged();
  b.strategy = key.strategy;
  b.is_default = number(text) != 0;
  b.modulus = number(text);
  b.remainder = number(text);
  std::string_view kinds = word(text);
  if (b.is_default || kinds == ".") {
    if (!b.is_default && (b.strategy != Strategy::hash || b.modulus <= 0 || b.remainder < 0 || b.remainder >= b.modulus)) damaged();
    return b;
  }
  List<nodes::Expr*> list = nodes::list_from_text(text, arena);
  Values values(list);
  if (b.strategy == Strategy::range) {
    std::size_t n = key.columns.size();
    if (kinds.size() != 2 * n) damaged();
    b.lower = read_ends(kinds.substr(0, n), values, arena);
    b.upper = read_ends(kinds.substr(n), values, arena);
    return b;
  }
  auto* out = arena.make_array<NullableDatum>(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == 'v') out[i] = {values.next(), false};
    else if (kinds[i] != 'n') damaged();
  }
  b.values = {out, kinds.size()};
  return b;
}

std::string bound_to_sql(const Bound& b, const PartitionKey& key) {
  if (b.is_default) return "DEFAULT";
  switch (b.strategy) {
    case Strategy::hash: return fmt::format("FOR VALUES WITH (modulus {}, remainder {})", b.modulus, b.remainder);
    case Strategy::list: {
      std::string text = "FOR VALUES IN (";
      for (std::size_t i = 0; i < b.values.size(); ++i) {
        if (i > 0) text += ", ";
        text += b.values[i].is_null ? std::string("NULL") : literal(key.columns[0], b.values[i].value);
      }
      return text + ")";
    }
    case Strategy::range: return "FOR VALUES FROM " + range_end_to_sql(b.lower, key) + " TO " + range_end_to_sql(b.upper, key);
  }
  return {};
}

}  // namespace hathi::partition
