// The answers of a port that does not have something.
#include "fabric/port.hpp"

namespace weft::fabric {

Done Port::connect(const std::string&, os::Deadline) { return Nothing{}; }
Expected<Region> Port::allocate(std::size_t) { return Failure{Status::unsupported, std::string("the ") + name() + " fabric has no memory for links"}; }
void Port::free(const Region&) noexcept {}
Status Port::expose(void*, std::size_t, Region&) noexcept { return Status::unsupported; }
void Port::conceal(const Region&) noexcept {}
Expected<Endpoint*> Port::open(int, const std::string&, const Opening&) {
  return Failure{Status::unsupported, std::string("the ") + name() + " fabric has no endpoints"};
}

}  // namespace weft::fabric
