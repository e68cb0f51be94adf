// Attaching memory for buffered sends, to the process or to a communicator.
#include <fmt/format.h>

#include "api/message.hpp"
#include "comm/buffered.hpp"

namespace weft::api {

int raise_buffer_full(const comm::Communicator& comm, const char* call, const match::TypedBuffer& buffer) {
  const std::int64_t room = comm::buffer_room(comm);
  return raise_text(&comm, MPI_ERR_BUFFER, call,
                    room < 0 ? fmt::format("the message of {} bytes cannot leave at once and no buffer is attached (MPI_Buffer_attach)", buffer.bytes())
                             : fmt::format("the message has {} bytes, the attached buffer has room for {}", buffer.bytes(), room));
}

namespace {

int attach(const char* call, const comm::Communicator* on, void* buffer, std::int64_t size) {
  if (size < 0) return raise(on, MPI_ERR_ARG, call, "size", size, "0 or more");
  if (buffer == nullptr && size > 0) return null_argument(on, call, "buffer");
  if (!comm::attach_buffer(on, buffer, size)) return raise_text(on, MPI_ERR_BUFFER, call, "a buffer is attached already");
  return MPI_SUCCESS;
}

template <typename Size>
int detach(const char* call, const comm::Communicator* on, void* buffer_address, Size* size) {
  if (buffer_address == nullptr) return null_argument(on, call, "buffer_addr");
  if (size == nullptr) return null_argument(on, call, "size");
  const comm::AttachedBuffer detached = comm::detach_buffer(on);
  if (!detached.attached) return raise_text(on, MPI_ERR_BUFFER, call, "no buffer is attached");
  *static_cast<void**>(buffer_address) = detached.address;
  *size = static_cast<Size>(detached.bytes);
  return MPI_SUCCESS;
}

int flush(const comm::Communicator* on) {
  comm::flush_buffer(on);
  return MPI_SUCCESS;
}

int start_flush(const char* call, const comm::Communicator* on, MPI_Request* request) {
  if (request == nullptr) return null_argument(on, call, "request");
  *request = handle_of(comm::start_flush(on));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

#define WEFT_BUFFER(Size, suffix)                                                                                        \
  WEFT_API(int, Buffer_attach##suffix)(void* buffer, Size size) {                                                        \
    const api::Guard guard("MPI_Buffer_attach" #suffix);                                                                 \
    return api::attach("MPI_Buffer_attach" #suffix, nullptr, buffer, size);                                              \
  }                                                                                                                      \
  WEFT_API(int, Buffer_detach##suffix)(void* buffer_addr, Size* size) {                                                  \
    const api::Guard guard("MPI_Buffer_detach" #suffix);                                                                 \
    return api::detach("MPI_Buffer_detach" #suffix, nullptr, buffer_addr, size);                                         \
  }                                                                                                                      \
  WEFT_API(int, Comm_attach_buffer##suffix)(MPI_Comm comm, void* buffer, Size size) {                                    \
    constexpr const char* call = "MPI_Comm_attach_buffer" #suffix;                                                       \
    const api::Guard guard(call);                                                                                        \
    const auto* c = api::communicator(comm);                                                                             \
    return c == nullptr ? api::bad_communicator(call, comm) : api::attach(call, c, buffer, size);                        \
  }                                                                                                                      \
  WEFT_API(int, Comm_detach_buffer##suffix)(MPI_Comm comm, void* buffer_addr, Size* size) {                              \
    constexpr const char* call = "MPI_Comm_detach_buffer" #suffix;                                                       \
    const api::Guard guard(call);                                                                                        \
    const auto* c = api::communicator(comm);                                                                             \
    return c == nullptr ? api::bad_communicator(call, comm) : api::detach(call, c, buffer_addr, size);                   \
  }
WEFT_BUFFER(int, )
WEFT_BUFFER(MPI_Count, _c)

WEFT_API(int, Buffer_flush)(void) {
  const api::Guard guard("MPI_Buffer_flush");
  return api::flush(nullptr);
}
WEFT_API(int, Comm_flush_buffer)(MPI_Comm comm) {
  const api::Guard guard("MPI_Comm_flush_buffer");
  const auto* c = api::communicator(comm);
  return c == nullptr ? api::bad_communicator("MPI_Comm_flush_buffer", comm) : api::flush(c);
}
WEFT_API(int, Buffer_iflush)(MPI_Request* request) {
  const api::Guard guard("MPI_Buffer_iflush");
  return api::start_flush("MPI_Buffer_iflush", nullptr, request);
}
WEFT_API(int, Comm_iflush_buffer)(MPI_Comm comm, MPI_Request* request) {
  const api::Guard guard("MPI_Comm_iflush_buffer");
  const auto* c = api::communicator(comm);
  return c == nullptr ? api::bad_communicator("MPI_Comm_iflush_buffer", comm) : api::start_flush("MPI_Comm_iflush_buffer", c, request);
}
