#include "src/backend/catalog/data.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include "hathi/error/sql_error.h"

namespace hathi::catalog::data {

Reader::Reader(std::string_view file) : rest_(file) {
  std::size_t end = rest_.find('\n');
  split(rest_.substr(0, end), names_);
  rest_.remove_prefix(end + 1);
}

void Reader::split(std::string_view line, std::vector<std::string_view>& out) {
  out.clear();
  while (true) {
    std::size_t tab = line.find('\t');
    out.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

bool Reader::next() {
  if (rest_.empty()) return false;
  std::size_t end = rest_.find('\n');
  split(rest_.substr(0, end), fields_);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  HATHI_ASSERT(fields_.size() == names_.size());
  return true;
}

std::size_t Reader::position(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i;
  }
  panic("catalog data file without column " + std::string(name));
}

std::uint32_t parse_number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint32_t Reader::number(std::size_t column) const { return parse_number(fields_[column]); }

std::int64_t Reader::signed_number(std::size_t column) const {
  std::int64_t value = 0;
  std::string_view text = fields_[column];
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double Reader::real(std::size_t column) const {
  double value = 0;
  std::string_view text = fields_[column];
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::vector<std::string_view> array_elements(std::string_view text) {
  if (text.size() < 2) return {};
  std::vector<std::string_view> parts = split(text.substr(1, text.size() - 2), ',');
  for (std::string_view& part : parts) {
    if (part.size() >= 2 && part.front() == '"') part = part.substr(1, part.size() - 2);
  }
  return parts;
}

}  // namespace hathi::catalog::data
