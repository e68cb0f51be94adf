// A communicator: a context and the processes that share it. Hot fields first; the rest is met at set-up only.
// Created by comm/create.hpp, owned through references: the program's handle is one, each operation in flight may hold
// another, and the object goes when the last is given back. Floors below read it; one thread at a time.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "comm/attribute.hpp"
#include "comm/error_handler.hpp"
#include "comm/object.hpp"

namespace weft::comm {

class Group;
class Info;

// The low bits of a context say what kind of traffic it separates.
enum ContextKind : std::uint64_t { collective_bit = 1, exchange_bit = 2, group_bit = 4, kind_mask = 7 };

class Communicator {
 public:
  static constexpr std::uint32_t magic_value = 0x57634f6d;
  std::uint32_t magic = magic_value;
  int rank = 0;                         // mine
  int size = 1;
  bool completed = false;               // the hooks below know it
  std::uint64_t context = 0;            // of point-to-point; kind bits are 0
  const int* peers = nullptr;           // world rank of each member
  void** routes = nullptr;              // a slot per member for the match floor, or null
  void* coll = nullptr;                 // state of the collectives, set through the hooks below
  ErrorHandler* error_handler = nullptr;

  MPI_Comm handle = MPI_COMM_NULL;      // what the program calls it by
  Group* group = nullptr;
  void* topology = nullptr;             // process topologies, when there are any
  AttributeStore attributes;
  Info* info = nullptr;                 // hints; null means none were given
  std::string name;
  int references = 1;
  std::uint32_t exchange_sequence = 0;  // numbers the internal exchanges (comm/exchange.hpp), alike on all members

  std::uint64_t collective_context() const noexcept { return context | collective_bit; }
  std::uint64_t exchange_context() const noexcept { return context | exchange_bit; }
  bool has_rank(int r) const noexcept { return static_cast<unsigned>(r) < static_cast<unsigned>(size); }
  bool predefined() const noexcept { return reinterpret_cast<std::uintptr_t>(handle) < 4096; }
};

namespace detail {
extern Communicator* world [[gnu::visibility("hidden")]];
extern Communicator* self [[gnu::visibility("hidden")]];
}  // namespace detail
inline Communicator* world() noexcept { return detail::world; }   // null before bring_up() and after take_down()
inline Communicator* self() noexcept { return detail::self; }

// Where errors are raised that belong to no object: on MPI_COMM_SELF as the standard has it, or on MPI_COMM_WORLD while
// the program has given a handler to that one only. Null when there is neither.
const Communicator* program_communicator() noexcept;

void retain(Communicator& communicator) noexcept;
void release(Communicator& communicator);   // the last one destroys it

// Floors above attach and release their state here. `born` runs when a communicator is complete, before the program may use
// it; `gone` when its last reference went. Neither may wait: a communicator can be born inside the progress loop.
struct CommunicatorHook {
  void (*born)(Communicator&);
  void (*gone)(Communicator&);
};
void add_communicator_hook(const CommunicatorHook& hook);

}  // namespace weft::comm
