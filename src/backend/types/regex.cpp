#include "regex.h"

#include <list>

#include <re2/re2.h>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/types/collation.h"
#include "hathi/types/utf8.h"

namespace hathi::types {

namespace {

re2::RE2* compile(const std::string& pattern, bool longest) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(longest);
  options.set_max_mem(64 << 20);
  auto* regex = new re2::RE2(pattern, options);
  if (regex->ok()) return regex;
  SqlError error(sqlstate::invalid_regular_expression, "invalid regular expression: {}",
                 regex->error_code() == re2::RE2::ErrorPatternTooLarge || regex->error_code() == re2::RE2::ErrorRepeatSize
                     ? "regular expression is too complex" : regex->error().c_str());
  delete regex;
  throw error;
}

}  // namespace

Regex::Regex(std::string_view pattern, RegexFlags flags, bool ascii_classes) {
  TranslatedRegex greedy = translate_regex(pattern, flags, ascii_classes, true);
  groups_ = greedy.groups;
  prefers_shortest_ = greedy.prefers_shortest;
  longest_ = compile(greedy.pattern, true);
  if (groups_ == 0) return;
  try {
    preferring_ = compile(translate_regex(pattern, flags, ascii_classes, false).pattern, false);
  } catch (...) {
    delete longest_;
    throw;
  }
}

Regex::~Regex() {
  delete longest_;
  delete preferring_;
}

bool Regex::matches(std::string_view text) const {
  return longest_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

bool Regex::find_range(std::string_view text, std::size_t from, RegexSpan& range) const {
  re2::StringPiece input(text.data(), text.size());
  re2::StringPiece whole;
  if (!longest_->Match(input, from, text.size(), re2::RE2::UNANCHORED, &whole, 1)) return false;
  range.begin = static_cast<std::size_t>(whole.data() - text.data());
  range.end = range.begin + whole.size();
  if (!prefers_shortest_) return true;
  for (std::size_t end = range.begin; end < range.end; end += utf8::width(text[end], text.size() - end)) {
    check_interrupts();
    // An end inside the text must not look like the end of the text: the expression is anchored there by hand.
    re2::StringPiece part;
    if (longest_->Match(input, range.begin, end, re2::RE2::ANCHOR_BOTH, &part, 1)) {
      range.end = end;
      break;
    }
  }
  return true;
}

bool Regex::search(std::string_view text, std::size_t from, std::vector<RegexSpan>& spans) const {
  RegexSpan range;
  if (from > text.size() || !find_range(text, from, range)) return false;
  if (spans.empty()) return true;
  spans[0] = range;
  for (std::size_t i = 1; i < spans.size(); ++i) spans[i] = {};
  if (spans.size() == 1 || groups_ == 0) return true;
  std::vector<re2::StringPiece> pieces(spans.size());
  if (!preferring_->Match({text.data(), text.size()}, range.begin, range.end, re2::RE2::ANCHOR_BOTH, pieces.data(), static_cast<int>(pieces.size()))) {
    throw SqlError(sqlstate::internal_error, "regular expression match could not be divided into its groups");
  }
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (pieces[i].data() == nullptr) continue;
    spans[i].begin = static_cast<std::size_t>(pieces[i].data() - text.data());
    spans[i].end = spans[i].begin + pieces[i].size();
  }
  return true;
}

namespace {

struct CachedRegex {
  std::string pattern;
  unsigned key;
  Regex regex;
  CachedRegex(std::string_view p, unsigned k, RegexFlags flags, bool ascii) : pattern(p), key(k), regex(p, flags, ascii) {}
};

}  // namespace

const Regex& compiled_regex(std::string_view pattern, RegexFlags flags, Oid collation) {
  require_collation(collation, "regular expression");
  static std::list<CachedRegex> cache;  // most recently used first
  constexpr std::size_t kCapacity = 32;
  bool ascii = collation_is_c(collation);
  unsigned key = (flags.ignore_case ? 1u : 0u) | (flags.dot_excludes_newline ? 2u : 0u) | (flags.anchors_at_newlines ? 4u : 0u) |
                 (flags.expanded ? 8u : 0u) | (flags.literal ? 16u : 0u) | (flags.basic ? 32u : 0u) | (ascii ? 64u : 0u);
  for (auto it = cache.begin(); it != cache.end(); ++it) {
    if (it->key == key && it->pattern == pattern) {
      if (it != cache.begin()) cache.splice(cache.begin(), cache, it);
      return it->regex;
    }
  }
  cache.emplace_front(pattern, key, flags, ascii);
  if (cache.size() > kCapacity) cache.pop_back();
  return cache.front().regex;
}

}  // namespace hathi::types
