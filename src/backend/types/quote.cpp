// Quoting of identifiers and literals, format(), concat().

#include <algorithm>
#include <iterator>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/quote.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

// The constant alone, without the blank that keeps an E apart from a word before it.
std::string literal(std::string_view text) {
  std::string quoted = catalog::quote_literal(text);
  if (quoted.starts_with(' ')) quoted.erase(0, 1);
  return quoted;
}

std::string quote_ident(std::string_view name) { return catalog::quote_identifier(name); }
std::string quote_literal(std::string_view text) { return literal(text); }
Datum quote_nullable(FunctionCall& call) {
  return varlena::make(call.arena(), call.arg_null(0) ? std::string("NULL") : literal(call.text(0)));
}
// quote_literal(anyelement), quote_nullable(anyelement): the value's text.
Datum quote_literal_any(FunctionCall& call) {
  return varlena::make(call.arena(), literal(output_text(call.arg(0), argument_type(call, 0), call.arena())));
}
Datum quote_nullable_any(FunctionCall& call) {
  if (call.arg_null(0)) return varlena::make(call.arena(), "NULL");
  return quote_literal_any(call);
}

// The arguments of a VARIADIC "any" function from `first` on: one by one, or the elements of the array given with VARIADIC.
class VariadicArguments {
 public:
  // is_null(): VARIADIC NULL was given.
  VariadicArguments(FunctionCall& call, int first) : call_(call), first_(first) {
    if (!call.site->variadic_array) {
      count_ = call.site->argument_count - first;
      return;
    }
    if (call.arg_null(first)) {
      is_null_ = true;
      return;
    }
    ArrayView array = whole_array(call.arg(first), call.arena());
    element_type_ = array.element_type();
    elements_ = array_elements(array, catalog::type_info(element_type_).layout, call.arena());
    count_ = elements_.count;
  }
  bool is_null() const { return is_null_; }
  int count() const { return count_; }
  bool is_null(int i) const { return call_.site->variadic_array ? elements_.nulls[i] : call_.arg_null(first_ + i); }
  Datum value(int i) const { return call_.site->variadic_array ? elements_.values[i] : call_.arg(first_ + i); }
  Oid type(int i) const { return call_.site->variadic_array ? element_type_ : argument_type(call_, first_ + i); }
  std::string_view text(int i) const { return output_text(value(i), type(i), call_.arena()); }

 private:
  FunctionCall& call_;
  int first_;
  int count_ = 0;
  bool is_null_ = false;
  Oid element_type_ = kInvalidOid;
  ArrayElements elements_{};
};

Datum join(FunctionCall& call, const VariadicArguments& arguments, std::string_view separator) {
  std::string result;
  bool first = true;
  for (int i = 0; i < arguments.count(); ++i) {
    if (arguments.is_null(i)) continue;
    if (!first) result += separator;
    first = false;
    result += arguments.text(i);
  }
  return varlena::make(call.arena(), result);
}
Datum text_concat(FunctionCall& call) {
  VariadicArguments arguments(call, 0);
  return arguments.is_null() ? call.null() : join(call, arguments, "");
}
Datum text_concat_ws(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  VariadicArguments arguments(call, 1);
  return arguments.is_null() ? call.null() : join(call, arguments, call.text(0));
}
// text || anynonarray and the reverse.
std::string textanycat(FunctionCall& call, std::string_view text, Datum value) {
  return std::string(text).append(output_text(value, argument_type(call, 1), call.arena()));
}
std::string anytextcat(FunctionCall& call, Datum value, std::string_view text) {
  return std::string(output_text(value, argument_type(call, 0), call.arena())).append(text);
}

// --- format() -----------------------------------------------------------------------------------------------------------
[[noreturn]] void throw_unterminated() {
  throw SqlError(sqlstate::invalid_parameter_value, "unterminated format() type specifier").hint("For a single \"%\" use \"%%\".");
}
[[noreturn]] void throw_too_few() { throw SqlError(sqlstate::invalid_parameter_value, "too few arguments for format()"); }

// %[position$][-][width | * | *position$]type
class Formatter {
 public:
  Formatter(FunctionCall& call, std::string_view format) : arguments_(call, 1), format_(format) {}
  std::string run() {
    while (at_ < format_.size()) {
      char c = format_[at_++];
      if (c != '%') {
        result_ += c;
        continue;
      }
      if (at_ >= format_.size()) throw_unterminated();
      if (format_[at_] == '%') {
        result_ += '%';
        ++at_;
        continue;
      }
      specifier();
    }
    return std::move(result_);
  }

 private:
  bool digits(int& value) {
    std::size_t start = at_;
    std::int64_t n = 0;
    while (at_ < format_.size() && is_digit(format_[at_])) {
      n = n * 10 + (format_[at_++] - '0');
      if (n > 2147483647) throw SqlError(sqlstate::numeric_value_out_of_range, "number is out of range");
    }
    if (at_ >= format_.size() && at_ != start) throw_unterminated();
    value = static_cast<int>(n);
    return at_ != start;
  }
  void need_more() const {
    if (at_ >= format_.size()) throw_unterminated();
  }
  void position(int n) {
    if (n == 0) throw_invalid_parameter("format specifies argument 0, but arguments are numbered from 1");
  }
  int next_argument(int explicit_position) {
    int n = explicit_position > 0 ? explicit_position : next_ + 1;
    next_ = n;
    if (n > arguments_.count()) throw_too_few();
    return n - 1;
  }
  void specifier() {
    int argument = -1;
    int width_argument = -1;
    int width = 0;
    bool left = false;
    int n = 0;
    bool have_width = false;
    if (digits(n)) {
      need_more();
      if (format_[at_] == '$') {
        position(n);
        argument = n;
        ++at_;
        need_more();
      } else {
        width = n;
        have_width = true;
      }
    }
    if (!have_width) {
      while (at_ < format_.size() && format_[at_] == '-') {
        left = true;
        ++at_;
      }
      need_more();
      if (format_[at_] == '*') {
        ++at_;
        need_more();
        width_argument = 0;
        if (digits(n)) {
          need_more();
          if (format_[at_] != '$') throw_invalid_parameter("width argument position must be ended by \"$\"");
          position(n);
          width_argument = n;
          ++at_;
        }
      } else {
        digits(width);
      }
      need_more();
    }
    std::size_t type_width = utf8::width(format_[at_], format_.size() - at_);
    std::string_view type = format_.substr(at_, type_width);
    at_ += type_width;
    if (type != "s" && type != "I" && type != "L") {
      throw SqlError(sqlstate::invalid_parameter_value, "unrecognized format() type specifier \"{}\"", type).hint("For a single \"%\" use \"%%\".");
    }
    if (width_argument >= 0) width = width_from(next_argument(width_argument));
    if (width < 0) {
      if (width == std::numeric_limits<int>::min()) throw SqlError(sqlstate::numeric_value_out_of_range, "number is out of range");
      left = true;
      width = -width;
    }
    append(type[0], next_argument(argument), width, left);
  }
  int width_from(int i) {
    if (arguments_.is_null(i)) return 0;
    Oid type = arguments_.type(i);
    if (type == type_oid::int4) return arguments_.value(i).as_int32();
    if (type == type_oid::int2) return arguments_.value(i).as_int16();
    return parse_integer<std::int32_t>(arguments_.text(i));
  }
  void append(char type, int i, int width, bool left) {
    std::string value;
    if (arguments_.is_null(i)) {
      if (type == 'I') throw SqlError(sqlstate::null_value_not_allowed, "null values cannot be formatted as an SQL identifier");
      if (type == 'L') value = "NULL";
    } else {
      std::string_view text = arguments_.text(i);
      value = type == 's' ? std::string(text) : type == 'I' ? catalog::quote_identifier(text) : literal(text);
    }
    auto length = static_cast<std::int64_t>(utf8::length(value));
    std::size_t blanks = width > length ? static_cast<std::size_t>(width - length) : 0;
    if (!left) result_.append(blanks, ' ');
    result_ += value;
    if (left) result_.append(blanks, ' ');
  }

  VariadicArguments arguments_;
  std::string_view format_;
  std::size_t at_ = 0;
  int next_ = 0;
  std::string result_;
};

Datum text_format(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  return varlena::make(call.arena(), Formatter(call, call.text(0)).run());
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1282}, fn<quote_ident>},
    {Oid{1283}, fn<quote_literal>},
    {Oid{1289}, fn<quote_nullable>},
    {Oid{1285}, fn<quote_literal_any>},
    {Oid{1290}, fn<quote_nullable_any>},
    {Oid{3058}, fn<text_concat>},
    {Oid{3059}, fn<text_concat_ws>},
    {Oid{2003}, fn<textanycat>},
    {Oid{2004}, fn<anytextcat>},
    {Oid{3539}, fn<text_format>},
    {Oid{3540}, fn<text_format>},
};

}  // namespace

std::span<const BuiltinFunction> quote_functions() { return kTable; }

}  // namespace hathi::types
