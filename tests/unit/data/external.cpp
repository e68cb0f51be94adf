// The external32 representation: sizes and bytes from the standard's table, and round trips of derived types.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "data/external.hpp"
#include "oracle.hpp"

namespace weft::test {
namespace {

template <typename T>
std::string packed(std::uint32_t number, T value) {
  const data::Datatype* type = data::predefined(number);
  std::string out(static_cast<std::size_t>(data::external_size(type)), '\0');
  data::external_pack(type, &value, 1, out.data());
  T back{};
  data::external_unpack(type, &back, 1, out.data());
  EXPECT_EQ(back, value);
  return out;
}

TEST(External, BytesAreBigEndianInTheStandardsSizes) {
  EXPECT_EQ(packed<int>(0x209, 0x01020304), std::string("\1\2\3\4", 4));
  EXPECT_EQ(packed<long>(0x20a, -2), std::string("\xff\xff\xff\xfe", 4));
  EXPECT_EQ(packed<unsigned long>(0x20e, 0xfffffffful), std::string("\xff\xff\xff\xff", 4));
  EXPECT_EQ(packed<double>(0x214, 1.0), std::string("\x3f\xf0\0\0\0\0\0\0", 8));
  EXPECT_EQ(packed<wchar_t>(0x23c, L'A'), std::string("\0A", 2));
  EXPECT_EQ(packed<long double>(0x220, 1.0L), std::string("\x3f\xff", 2) + std::string(14, '\0'));
  EXPECT_EQ(packed<char>(0x243, 'x'), "x");
}

TEST(External, PairsAndComplexNumbersAreTheirParts) {
  struct Pair {
    short value;
    int index;
    bool operator==(const Pair&) const = default;
  };
  EXPECT_EQ(packed<Pair>(0x22c, Pair{1, 2}), std::string("\0\1\0\0\0\2", 6));
  const float complex[2] = {1.0f, 2.0f};
  char out[8];
  data::external_pack(data::predefined(0x212), complex, 1, out);
  EXPECT_EQ(std::string(out, 8), std::string("\x3f\x80\0\0\x40\0\0\0", 8));
  EXPECT_EQ(data::external_size(data::predefined(0x22a)), 8);  // long and int
}

TEST(External, DerivedTypesGoRoundTrip) {
  const Both number = basic(0x214), odd = basic(0x22c);
  const Both rows = hvector(3, 2, 24, number);
  const Both all = structure({1, 2}, {0, 80}, {&rows, &odd});
  std::vector<char> from(256, '\x11'), to(256, '\x11');
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i);
  std::string stream(static_cast<std::size_t>(data::external_size(all.type)) * 2, '\0');
  ASSERT_EQ(stream.size(), 2u * (6 * 8 + 2 * 6));
  data::external_pack(all.type, from.data(), 2, stream.data());
  data::external_unpack(all.type, to.data(), 2, stream.data());
  std::vector<char> expected(256, '\x11');
  for (std::int64_t i = 0; i < 2; ++i) {
    for (const Typemap::Entry& entry : all.map.entries) {
      const std::int64_t at = i * all.map.extent() + entry.displacement;
      std::memcpy(expected.data() + at, from.data() + at, static_cast<std::size_t>(entry.bytes));
    }
  }
  EXPECT_EQ(to, expected);
}

}  // namespace
}  // namespace weft::test
