// The list of fabrics.
#include "fabric/fabrics.hpp"

#include "fabric/shm/port.hpp"

namespace weft::fabric {
namespace {

constexpr Fabric list[] = {
    {"shm", true, shm::ShmPort::open},
};

}  // namespace

std::span<const Fabric> fabrics() noexcept { return list; }

}  // namespace weft::fabric
