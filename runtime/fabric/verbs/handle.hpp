// Handle: an object of libibverbs or librdmacm that is destroyed with its owner.
#pragma once

#include <memory>

namespace weft::fabric::verbs {

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const noexcept { (void)Destroy(object); }
};

template <class T, auto Destroy>
using Handle = std::unique_ptr<T, Destroyer<Destroy>>;

}  // namespace weft::fabric::verbs
