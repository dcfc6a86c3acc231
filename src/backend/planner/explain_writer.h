#pragma once
// The formats of EXPLAIN's output: properties, lists and groups, as text lines, JSON, XML or YAML.

#include <string>
#include <string_view>
#include <vector>

#include "hathi/planner/explain.h"

namespace hathi::planner {

class ExplainWriter {
 public:
  explicit ExplainWriter(ExplainFormat format) : format_(format) {}

  bool is_text() const { return format_ == ExplainFormat::text; }
  void begin();
  void end();
  // labeled: the members have names (an object), else they are a list. An empty label: a member of a list.
  void open_group(std::string_view label, bool labeled);
  void close_group(std::string_view label, bool labeled);

  void property(std::string_view label, std::string_view value);                  // a string
  void number(std::string_view label, std::string_view value, std::string_view unit = {});   // printed bare; unit in text only
  void number(std::string_view label, double value, int digits, std::string_view unit = {});
  void boolean(std::string_view label, bool value);
  void list(std::string_view label, const std::vector<std::string>& items);
  // One inside list() of lists: grouping sets.
  void nested_list(std::string_view label, const std::vector<std::string>& items);

  // Text format only.
  void indent_text() { out_.append(static_cast<std::size_t>(indent) * 2, ' '); }
  void append(std::string_view text) { out_ += text; }
  void line(std::string_view text) { indent_text(); out_ += text; out_ += '\n'; }
  int indent = 0;

  std::vector<std::string> lines() const;

 private:
  void separate();
  void name(std::string_view label);
  void xml_tag(std::string_view label, bool closing);
  void scalar(std::string_view label, std::string_view value, bool quoted);

  ExplainFormat format_;
  std::string out_;
  struct Level { bool any = false; bool first_on_line = false; };
  std::vector<Level> levels_;
};

}  // namespace hathi::planner
