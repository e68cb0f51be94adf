// fmt's body inside libweft.so. Only error texts are formatted, but a program that loads libfmt and, for its sake, libstdc++
// spends two thirds of its start in looking up their symbols; with both inside, a C program starts with 2 of 3 million
// instructions fewer. Of a locale nothing is used, and its part of the library stays out.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
