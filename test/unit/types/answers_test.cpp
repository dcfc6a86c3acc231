// Calls functions by OID with arguments given as text and compares the printed results and errors with those a stock PostgreSQL 15
// gave (*.expected, made by tools/developer/record_type_answers.py).

#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "hathi/error/sql_error.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"

namespace hathi::types::test {
namespace {

constexpr std::uint32_t kAnyCollation = 100;

void apply_setting(const std::string& name, const std::string& value) { config::set(name, value, config::Source::session, false, true); }

struct Case {
  Oid function, result_type;
  bool strict = false;
  std::vector<std::pair<Oid, std::optional<std::string>>> arguments;
  std::string status, answer;
};

Case parse_case(const std::string& line) {
  auto f = split_tabs(line);
  auto oid = [&](std::size_t i) { return Oid{static_cast<std::uint32_t>(std::stoul(f[i]))}; };
  Case c{oid(0), oid(2), f[1] == "t", {}, {}, {}};
  std::size_t n = std::stoul(f[3]);
  for (std::size_t i = 0; i < n; ++i) {
    std::optional<std::string> value;
    if (f[5 + 2 * i] != "\\N") value = unescape(f[5 + 2 * i]);
    c.arguments.emplace_back(oid(4 + 2 * i), value);
  }
  c.status = f.at(4 + 2 * n);
  c.answer = unescape(f.at(5 + 2 * n));
  return c;
}

// {status, text} as a line of the file has them.
std::pair<std::string, std::string> evaluate(const Case& c) {
  Arena arena;
  Arena statement;
  const BuiltinFunction* builtin = find_builtin_function(c.function);
  if (builtin == nullptr) return {"missing", ""};
  try {
    std::vector<NullableDatum> values(c.arguments.size() + 1);
    std::vector<Oid> types;
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      types.push_back(c.arguments[i].first);
      if (c.arguments[i].second) values[i] = {from_text(c.arguments[i].first, *c.arguments[i].second, arena), false};
    }
    FunctionSite site;
    site.function = builtin->function;
    site.oid = c.function;
    site.collation = Oid{kAnyCollation};
    site.result_type = c.result_type;
    site.argument_count = static_cast<std::int16_t>(c.arguments.size());
    site.strict = c.strict;
    site.argument_types = types.data();
    FunctionContext context{&arena};
    void* state = nullptr;
    FunctionCall call;
    call.site = &site;
    call.context = &context;
    call.args = values.data();
    call.state = &state;
    call.state_arena = &statement;
    if (builtin->kind == FunctionKind::set_per_call) {
      std::string rows;
      bool first = true;
      for (;;) {
        NullableDatum row = invoke(call);
        if (call.done || (c.strict && row.is_null && state == nullptr)) break;
        if (!first) rows += '|';
        first = false;
        rows += row.is_null ? "\\N" : to_text(c.result_type, row.value, arena);
      }
      return first ? std::pair<std::string, std::string>{"N", ""} : std::pair<std::string, std::string>{"=", rows};
    }
    NullableDatum result = invoke(call);
    if (result.is_null) return {"N", ""};
    return {"=", to_text(c.result_type, result.value, arena)};
  } catch (const SqlError& error) {
    return {std::string(error.code().view()), error.report().message};
  }
}

// aggregate transition final transition_type initial strict nargs type… nrows value… result_type status text
std::pair<std::string, std::string> evaluate_aggregate(const std::vector<std::string>& f) {
  auto oid = [&](std::size_t i) { return Oid{static_cast<std::uint32_t>(std::stoul(f[i]))}; };
  Arena group;
  Arena row_arena;
  std::size_t n = std::stoul(f[6]);
  std::vector<Oid> types{oid(3)};
  for (std::size_t i = 0; i < n; ++i) types.push_back(oid(7 + i));
  std::size_t rows = std::stoul(f[7 + n]);
  std::size_t at = 8 + n;
  Oid result_type = oid(at + n * rows);
  bool strict = f[5] == "t";
  const BuiltinFunction* transition = find_builtin_function(oid(1));
  if (transition == nullptr) return {"missing", ""};
  FunctionSite site;
  site.function = transition->function;
  site.collation = Oid{kAnyCollation};
  site.argument_count = static_cast<std::int16_t>(n + 1);
  site.argument_types = types.data();
  FunctionContext context{&row_arena};
  std::vector<NullableDatum> args(n + 1);
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = args.data();
  call.aggregate_arena = &group;
  NullableDatum state;
  try {
    if (f[4] != "\\N") state = {from_text(types[0], f[4], group), false};
    for (std::size_t r = 0; r < rows; ++r, at += n) {
      bool skip = false;
      for (std::size_t i = 0; i < n; ++i) {
        args[i + 1] = {};
        if (f[at + i] != "\\N") args[i + 1] = {from_text(types[i + 1], unescape(f[at + i]), group), false};
        skip = skip || (strict && args[i + 1].is_null);
      }
      if (skip) continue;
      if (strict && state.is_null) {
        state = args[1];
        continue;
      }
      args[0] = state;
      call.result_is_null = false;
      Datum value = site.function(call);
      state = {value, call.result_is_null};
    }
    if (is_valid(oid(2))) {
      const BuiltinFunction* final = find_builtin_function(oid(2));
      if (final == nullptr) return {"missing", ""};
      if (state.is_null && f[2] != "0" && types[0] != Oid{2281}) return {"N", ""};
      site.function = final->function;
      args[0] = state;
      call.aggregate_arena = nullptr;
      call.result_is_null = false;
      Datum value = site.function(call);
      state = {value, call.result_is_null};
    }
    if (state.is_null) return {"N", ""};
    return {"=", to_text(result_type, state.value, row_arena)};
  } catch (const SqlError& error) {
    return {std::string(error.code().view()), error.report().message};
  }
}

// Functions that hand on what memcmp gives: its sign is their answer. How far it is from zero depends on where the bytes lie.
bool is_byte_order(Oid function) {
  static const std::set<std::uint32_t> functions = {246, 253, 359, 360, 1078, 1954, 2166, 2180, 2960};
  return functions.contains(raw(function));
}

bool same_answer(const Case& c, const std::string& ours) {
  if (ours == c.answer || !is_byte_order(c.function)) return ours == c.answer;
  auto sign = [](const std::string& number) { return number[0] == '-' ? -1 : number == "0" ? 0 : 1; };
  return !ours.empty() && !c.answer.empty() && sign(ours) == sign(c.answer);
}

class Answers : public testing::TestWithParam<std::string> {};

TEST_P(Answers, MatchStock) {
  register_once();
  static const bool defined = [] {
    config::define_builtin_settings();
    return true;
  }();
  static_cast<void>(defined);
  config::reset_all();
  std::ifstream in(data_directory() / GetParam());
  ASSERT_TRUE(in.good());
  std::string line;
  int wrong = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("set\t")) {
      auto f = split_tabs(line);
      apply_setting(f[1], f[2]);
      continue;
    }
    if (line.starts_with("aggregate\t")) {
      auto f = split_tabs(line);
      auto [status, text] = evaluate_aggregate(f);
      std::string answer = unescape(f.back());
      if (status == f[f.size() - 2] && text == answer) continue;
      ++wrong;
      ADD_FAILURE() << line << "\n  stock: " << f[f.size() - 2] << " " << answer << "\n  ours:  " << status << " " << text;
      continue;
    }
    Case c = parse_case(line);
    auto [status, text] = evaluate(c);
    if (status == c.status && same_answer(c, text)) continue;
    if (++wrong > 200) continue;
    ADD_FAILURE() << line << "\n  stock: " << c.status << " " << c.answer << "\n  ours:  " << status << " " << text;
  }
  config::reset_all();
  EXPECT_EQ(wrong, 0);
}

std::vector<std::string> expected_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_directory())) {
    if (entry.path().extension() == ".expected") files.push_back(entry.path().filename());
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Types, Answers, testing::ValuesIn(expected_files()), [](const auto& info) {
  return info.param.substr(0, info.param.find('.'));
});

}  // namespace
}  // namespace hathi::types::test
