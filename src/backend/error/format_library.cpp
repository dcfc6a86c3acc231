// The out-of-line part of the formatting library, compiled into the program when it carries its libraries (meson option
// static_libraries): Debian has that library as a shared one only, and it would bring the shared C++ runtime with it.
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

template FMT_API void buffer<char>::append(const char* begin, const char* end);
template FMT_API void vformat_to(buffer<char>& out, string_view format, basic_format_args<format_context> args, locale_ref locale);
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref locale);
template FMT_API char decimal_point_impl(locale_ref locale);
template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float value) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double value) noexcept;

}  // namespace detail
}  // namespace v9
}  // namespace fmt
