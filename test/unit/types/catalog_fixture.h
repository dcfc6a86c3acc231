#pragma once
// Types, functions and text conversion for tests without a catalog: facts recorded in types.tsv.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/types/register.h"

namespace hathi::types::test {

struct TypeFacts {
  Oid oid{}, input{}, output{}, element{}, array{}, send{}, receive{};
  std::string name;
  TypeLayout layout;
  char delimiter = ',';
};

// Where the recorded data stand, from wherever inside the source or build tree the test is run.
inline std::filesystem::path data_directory() {
  for (std::filesystem::path p = std::filesystem::current_path();; p = p.parent_path()) {
    if (std::filesystem::exists(p / "test/unit/types/types.tsv")) return p / "test/unit/types";
    if (p == p.root_path()) return std::filesystem::path(__FILE__).parent_path();
  }
}

inline std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t start = 0;
  for (;;) {
    std::size_t tab = line.find('\t', start);
    fields.push_back(line.substr(start, tab - start));
    if (tab == std::string::npos) return fields;
    start = tab + 1;
  }
}

inline std::string unescape(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    result += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return result;
}

inline const std::map<std::uint32_t, TypeFacts>& types() {
  static const std::map<std::uint32_t, TypeFacts> map = [] {
    std::map<std::uint32_t, TypeFacts> result;
    std::ifstream in(data_directory() / "types.tsv");
    std::string line;
    while (std::getline(in, line)) {
      auto f = split_tabs(line);
      auto oid = [&](std::size_t i) { return Oid{static_cast<std::uint32_t>(std::stoul(f[i]))}; };
      TypeFacts t;
      t.oid = oid(0);
      t.name = f[1];
      t.input = oid(2);
      t.output = oid(3);
      t.layout = {static_cast<std::int16_t>(std::stoi(f[4])), f[5] == "t", f[6][0]};
      t.element = oid(7);
      t.array = oid(8);
      t.send = oid(9);
      t.receive = oid(10);
      t.delimiter = f[11][0];
      result[raw(t.oid)] = t;
    }
    return result;
  }();
  return map;
}

inline const TypeFacts& type(Oid oid) { return types().at(raw(oid)); }

inline void register_once() {
  static const bool done = [] {
    register_all();
    catalog::load_builtin_objects();
    return true;
  }();
  static_cast<void>(done);
}

inline Datum from_text(Oid type_oid, std::string_view text, Arena& arena, std::int32_t typmod = -1) {
  if (type_oid == Oid{2275}) return Datum::of(static_cast<const void*>(arena.copy(text).data()));
  const TypeFacts& t = type(type_oid);
  return call_function(t.input, arena,
                       {Datum::of(static_cast<const void*>(arena.copy(text).data())),
                        Datum::of(is_valid(t.element) ? t.element : t.oid), Datum::of(typmod)});
}

inline std::string to_text(Oid type_oid, Datum value, Arena& arena) {
  if (type_oid == Oid{2275}) return value.as_pointer<char>();
  return call_function(type(type_oid).output, arena, {value}).as_pointer<char>();
}

}  // namespace hathi::types::test
