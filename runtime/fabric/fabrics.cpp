// The list of fabrics.
#include "fabric/fabrics.hpp"

#include "fabric/shm/port.hpp"
#include "fabric/tcp/port.hpp"
#include "fabric/verbs/port.hpp"

namespace weft::fabric {
namespace {

constexpr Fabric list[] = {
    {"shm", true, shm::ShmPort::open},
    {"verbs", false, verbs::VerbsPort::open},
    {"tcp", false, tcp::TcpPort::open},
};

}  // namespace

std::span<const Fabric> fabrics() noexcept { return list; }

}  // namespace weft::fabric
