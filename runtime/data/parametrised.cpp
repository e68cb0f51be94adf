// The parametrised Fortran types made so far.
#include "data/parametrised.hpp"

#include <algorithm>

namespace weft::data {
namespace {

std::vector<Datatype*> made;

}  // namespace

Datatype* parametrised(int combiner, std::span<const int> parameters, const Datatype* base) {
  for (Datatype* type : made) {
    const Contents& contents = *type->contents;
    if (contents.combiner == combiner && std::ranges::equal(contents.integers, parameters)) return type;
  }
  Datatype* type = make_duplicate(base);
  if (type == nullptr) return nullptr;
  type->machine = base->machine;
  type->family = base->family;
  type->contents = new Contents{combiner, {parameters.begin(), parameters.end()}, {}, {}, {}};
  made.push_back(type);
  return type;
}

}  // namespace weft::data
