// Each C++ type the face maps goes through a message and comes back the same; the mapping is what it should be.
#include "check.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

enum class Colour : std::uint16_t { red = 3, blue = 65000 };

template <class T>
void there_and_back(const weft::Comm& self, T value, MPI_Datatype expected)
{
  check(weft::datatype<T>() == expected, "datatype");
  std::vector<T> sent(3, value), got(3);
  const auto status = self.sendrecv(sent, 0, got, 0);
  check(got == sent && status.template count<T>() == 3, "there and back");
}

}  // namespace

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto self = weft::Comm::self();
  there_and_back<char>(self, 'x', MPI_CHAR);
  there_and_back<signed char>(self, -7, MPI_INT8_T);
  there_and_back<unsigned char>(self, 200, MPI_UINT8_T);
  there_and_back<short>(self, -3000, MPI_INT16_T);
  there_and_back<std::uint16_t>(self, 60000, MPI_UINT16_T);
  there_and_back<int>(self, std::numeric_limits<int>::min(), MPI_INT32_T);
  there_and_back<unsigned>(self, 4000000000u, MPI_UINT32_T);
  there_and_back<long>(self, std::numeric_limits<long>::max(), sizeof(long) == 8 ? MPI_INT64_T : MPI_INT32_T);
  there_and_back<long long>(self, std::numeric_limits<long long>::min(), MPI_INT64_T);
  there_and_back<std::uint64_t>(self, ~std::uint64_t{0}, MPI_UINT64_T);
  there_and_back<float>(self, 1.25f, MPI_FLOAT);
  there_and_back<double>(self, -0.1, MPI_DOUBLE);
  there_and_back<long double>(self, 0.1L, MPI_LONG_DOUBLE);
  there_and_back<std::complex<float>>(self, {1, 2}, MPI_CXX_FLOAT_COMPLEX);
  there_and_back<std::complex<double>>(self, {3, 4}, MPI_CXX_DOUBLE_COMPLEX);
  there_and_back<std::byte>(self, std::byte{255}, MPI_BYTE);
  there_and_back<wchar_t>(self, L'\u20ac', MPI_WCHAR);
  there_and_back<char16_t>(self, u'\u20ac', MPI_UINT16_T);
  there_and_back<Colour>(self, Colour::blue, MPI_UINT16_T);
  there_and_back<weft::Located<double>>(self, {0.5, 3}, MPI_DOUBLE_INT);
  there_and_back<weft::Located<int>>(self, {5, 3}, MPI_2INT);
  there_and_back<std::array<double, 4>>(self, {1, 2, 3, 4}, MPI_DOUBLE);
  bool truth = false;
  self.sendrecv(true, 0, truth, 0);
  check(truth, "bool");
}
