#pragma once
// Advanced regular expressions on top of RE2.
//
// PostgreSQL finds the leftmost match; the expression as a whole prefers the longest or the shortest one there, and the parts then
// divide it among themselves, earlier parts choosing first by their own preference. RE2 gives this in two steps: a longest-match
// search for where the match is, and an anchored search in the found range, with each quantifier's own greediness, for the groups.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"

namespace re2 {
class RE2;
}

namespace hathi::types {

// Letters of a flags argument, and what (?…) inside the expression may add.
struct RegexFlags {
  bool ignore_case = false;
  bool dot_excludes_newline = false;   // n, p
  bool anchors_at_newlines = false;    // n, w
  bool expanded = false;
  bool literal = false;
  bool basic = false;
  bool global = false;
};
// 22023 `invalid regular expression option: "z"`.
RegexFlags parse_regex_flags(std::string_view letters);

// Byte offsets; {npos, npos} for a group that took no part.
struct RegexSpan {
  std::size_t begin = std::string_view::npos;
  std::size_t end = std::string_view::npos;
  bool matched() const { return begin != std::string_view::npos; }
};

class Regex {
 public:
  // 2201B invalid regular expression; 0A000 for what RE2 cannot do.
  Regex(std::string_view pattern, RegexFlags flags, bool ascii_classes);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  int groups() const { return groups_; }
  bool matches(std::string_view text) const;
  // The first match that begins at `from` or later. spans[0] is the whole, spans[1…] the groups (as many as spans has).
  bool search(std::string_view text, std::size_t from, std::vector<RegexSpan>& spans) const;

 private:
  bool find_range(std::string_view text, std::size_t from, RegexSpan& range) const;

  re2::RE2* longest_ = nullptr;     // where the match is
  re2::RE2* preferring_ = nullptr;  // how the groups divide it; null when there are none
  int groups_ = 0;
  bool prefers_shortest_ = false;
};

// The compiled expression from this process's cache. Valid until the next call.
const Regex& compiled_regex(std::string_view pattern, RegexFlags flags, Oid collation);

// Translation of an ARE into RE2's syntax; the greediness marks are left out when `greedy_only`.
struct TranslatedRegex {
  std::string pattern;
  int groups = 0;
  bool prefers_shortest = false;
  bool has_lazy = false;
};
TranslatedRegex translate_regex(std::string_view pattern, RegexFlags flags, bool ascii_classes, bool greedy_only);

}  // namespace hathi::types
