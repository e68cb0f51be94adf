// Walks the recipe down to basic elements and converts each: a swap of bytes for most; longs have four bytes, wide
// characters two and long doubles the sixteen of IEEE quad precision in external32.
#include "data/external.hpp"

#include <algorithm>
#include <cstring>

#include "data/numbers.hpp"

namespace weft::data {
namespace {

// A number inside a basic element: where it is, here and there.
struct Field {
  enum class Kind : std::uint8_t { bytes, signed_integer, unsigned_integer, long_double } kind;
  std::int64_t offset;
  std::int64_t size;
  std::int64_t external_size;
};

struct Fields {
  Field field[2];
  int count;

  std::int64_t external_size() const { return field[0].external_size + (count == 2 ? field[1].external_size : 0); }
};

constexpr std::uint32_t mpi_long = 0x20a, mpi_unsigned_long = 0x20e, mpi_wchar = 0x23c;

Field field_of(const Datatype* type, std::int64_t offset, std::int64_t size) {
  using Kind = Field::Kind;
  const bool long_value = type->number == mpi_long || (type->machine == Machine::long_int && offset == 0);
  const bool long_double_value = type->machine == Machine::float80 || type->machine == Machine::complex80 ||
                                 (type->machine == Machine::long_double_int && offset == 0);
  if (long_value) return {Kind::signed_integer, offset, size, 4};
  if (type->number == mpi_unsigned_long) return {Kind::unsigned_integer, offset, size, 4};
  if (type->number == mpi_wchar) return {Kind::unsigned_integer, offset, size, 2};
  if (long_double_value) return {Kind::long_double, offset, size, 16};
  return {Kind::bytes, offset, size, size};
}

Fields fields_of(const Datatype* basic) {
  if (basic->family == Family::complex) {
    const std::int64_t half = basic->size / 2;
    return {{field_of(basic, 0, half), field_of(basic, half, half)}, 2};
  }
  if (basic->family == Family::pair) {
    const std::int64_t index = basic->machine == Machine::double_double ? 8 : 4;
    return {{field_of(basic, 0, basic->size - index), field_of(basic, basic->true_extent - index, index)}, 2};
  }
  return {{field_of(basic, 0, basic->size), {}}, 1};
}

// To and from the little-endian bytes of the external number.
void narrow(const Field& field, const char* memory, char* out) {
  if (field.kind == Field::Kind::long_double) {
    long double value = 0;
    std::memcpy(&value, memory, sizeof value);
    const auto quad = static_cast<Float128>(value);
    std::memcpy(out, &quad, sizeof quad);
  } else {
    std::memcpy(out, memory, static_cast<std::size_t>(field.external_size));
  }
}
void widen(const Field& field, const char* in, char* memory) {
  if (field.kind == Field::Kind::long_double) {
    Float128 quad = 0;
    std::memcpy(&quad, in, sizeof quad);
    const auto value = static_cast<long double>(quad);
    std::memcpy(memory, &value, 10);
    return;
  }
  const bool negative = field.kind == Field::Kind::signed_integer && (in[field.external_size - 1] & 0x80) != 0;
  std::memset(memory, negative ? 0xff : 0, static_cast<std::size_t>(field.size));
  std::memcpy(memory, in, static_cast<std::size_t>(field.external_size));
}

class PackSink {
 public:
  explicit PackSink(char* out) : out_(out) {}
  void number(const Field& field, char* memory) {
    char bytes[16];
    narrow(field, memory, bytes);
    out_ = std::reverse_copy(bytes, bytes + field.external_size, out_);
  }

 private:
  char* out_;
};

class UnpackSink {
 public:
  explicit UnpackSink(const char* in) : in_(in) {}
  void number(const Field& field, char* memory) {
    char bytes[16];
    std::reverse_copy(in_, in_ + field.external_size, bytes);
    widen(field, bytes, memory);
    in_ += field.external_size;
  }

 private:
  const char* in_;
};

// Every number of `count` elements, in typemap order.
template <typename Sink>
void walk(const Datatype* type, char* memory, std::int64_t count, Sink& sink) {
  if (type->recipe == nullptr) {
    const Fields fields = fields_of(type);
    for (; count > 0; --count, memory += type->extent) {
      for (int i = 0; i < fields.count; ++i) sink.number(fields.field[i], memory + fields.field[i].offset);
    }
    return;
  }
  const Recipe& recipe = *type->recipe;
  for (; count > 0; --count, memory += type->extent) {
    for (std::int64_t group = 0; group < recipe.count; ++group) {
      char* start = memory + group * recipe.stride;
      for (std::size_t i = 0; i < recipe.lengths.size(); ++i) {
        walk(recipe.type_of(i), start + recipe.displacements[i], recipe.lengths[i], sink);
      }
    }
  }
}

}  // namespace

std::int64_t external_size(const Datatype* type) {
  if (type->recipe == nullptr) return fields_of(type).external_size();
  const Recipe& recipe = *type->recipe;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < recipe.lengths.size(); ++i) bytes += recipe.lengths[i] * external_size(recipe.type_of(i));
  return bytes * recipe.count;
}

void external_pack(const Datatype* type, const void* address, std::int64_t count, void* out) {
  PackSink sink(static_cast<char*>(out));
  walk(type, const_cast<char*>(static_cast<const char*>(address)), count, sink);
}

void external_unpack(const Datatype* type, void* address, std::int64_t count, const void* in) {
  UnpackSink sink(static_cast<const char*>(in));
  walk(type, static_cast<char*>(address), count, sink);
}

}  // namespace weft::data
