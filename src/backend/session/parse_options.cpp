#include "parse_options.h"

#include "hathi/config/session_settings.h"

namespace hathi::session {

parser::ParseOptions parse_options() {
  parser::ParseOptions options;
  options.standard_conforming_strings = config::values::standard_conforming_strings;
  options.escape_string_warning = config::values::escape_string_warning;
  options.backslash_quote = static_cast<parser::BackslashQuote>(config::values::backslash_quote);
  return options;
}

}  // namespace hathi::session
