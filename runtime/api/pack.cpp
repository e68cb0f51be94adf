// Packing into and out of the program's own buffers, natively and as external32; sizes for them; addresses.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/message.hpp"
#include "data/external.hpp"
#include "data/pack.hpp"

namespace weft::api {
namespace {

// Where the packed bytes are: their buffer, its size, and the position in it, which moves.
template <typename Size>
struct Stream {
  const void* buffer;
  std::int64_t size;
  Size* position;
};

// Checks that `bytes` more fit behind the position.
template <typename Size>
int bad_stream(const comm::Communicator* on, const char* call, const Stream<Size>& stream, std::int64_t bytes) {
  if (stream.position == nullptr) return null_argument(on, call, "position");
  if (stream.size < 0) return raise(on, MPI_ERR_ARG, call, "the buffer's size", stream.size, "0 or more");
  if (*stream.position < 0) return raise(on, MPI_ERR_ARG, call, "position", *stream.position, "0 or more");
  if (stream.buffer == nullptr && bytes > 0) return null_argument(on, call, "the packed buffer");
  const std::int64_t room = stream.size - *stream.position;
  if (bytes > room)
    return raise_text(on, MPI_ERR_TRUNCATE, call, fmt::format("{} bytes at position {} pass the buffer's size of {}", bytes, *stream.position, stream.size));
  return MPI_SUCCESS;
}

enum class Way : bool { pack, unpack };

template <Way way, typename Size>
int move(const char* call, MPI_Comm comm, const void* address, std::int64_t count, MPI_Datatype handle, const Stream<Size>& stream) {
  const Guard guard(call);
  const comm::Communicator* on = communicator(comm);
  if (on == nullptr) return bad_communicator(call, comm);
  if (const int code = bad_buffer(on, call, address, count, handle); code != MPI_SUCCESS) return code;
  const data::Datatype* type = datatype(handle);
  const std::int64_t bytes = data::packed_bytes(type, count);
  if (const int code = bad_stream(on, call, stream, bytes); code != MPI_SUCCESS) return code;
  char* at = const_cast<char*>(static_cast<const char*>(stream.buffer)) + *stream.position;
  if constexpr (way == Way::pack) data::pack(type, address, count, 0, at, bytes);
  if constexpr (way == Way::unpack) data::unpack(type, const_cast<void*>(address), count, 0, at, bytes);
  *stream.position = static_cast<Size>(*stream.position + bytes);
  return MPI_SUCCESS;
}

int bad_representation(const char* call, const char* representation) {
  if (representation == nullptr) return null_argument(nullptr, call, "datarep");
  if (std::strcmp(representation, "external32") == 0) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_UNSUPPORTED_DATAREP, call, "datarep", representation, "external32");
}

template <Way way, typename Size>
int move_external(const char* call, const char* representation, const void* address, std::int64_t count, MPI_Datatype handle,
                  const Stream<Size>& stream) {
  const Guard guard(call);
  if (const int code = bad_representation(call, representation); code != MPI_SUCCESS) return code;
  if (const int code = bad_buffer(nullptr, call, address, count, handle); code != MPI_SUCCESS) return code;
  const data::Datatype* type = datatype(handle);
  const std::int64_t bytes = data::external_size(type) * count;
  if (const int code = bad_stream(nullptr, call, stream, bytes); code != MPI_SUCCESS) return code;
  char* at = const_cast<char*>(static_cast<const char*>(stream.buffer)) + *stream.position;
  if constexpr (way == Way::pack) data::external_pack(type, address, count, at);
  if constexpr (way == Way::unpack) data::external_unpack(type, const_cast<void*>(address), count, at);
  *stream.position = static_cast<Size>(*stream.position + bytes);
  return MPI_SUCCESS;
}

// Packed bytes of `count` elements; what the result cannot hold is MPI_UNDEFINED.
template <typename Size>
int size(const comm::Communicator* on, const char* call, std::int64_t count, const data::Datatype* type, std::int64_t element_bytes,
         Size* result) {
  if (count < 0) return bad_count(on, call, count);
  if (result == nullptr) return null_argument(on, call, "size");
  std::int64_t bytes = 0;
  const bool fits = type->size == 0 || !__builtin_mul_overflow(element_bytes, count, &bytes);
  *result = fits && bytes <= std::numeric_limits<Size>::max() ? static_cast<Size>(bytes) : Size{MPI_UNDEFINED};
  return MPI_SUCCESS;
}

template <typename Size>
int pack_size(const char* call, std::int64_t count, MPI_Datatype handle, MPI_Comm comm, Size* result) {
  const Guard guard(call);
  const comm::Communicator* on = communicator(comm);
  if (on == nullptr) return bad_communicator(call, comm);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle, on);
  return size(on, call, count, type, type->size, result);
}

template <typename Size>
int external_pack_size(const char* call, const char* representation, std::int64_t count, MPI_Datatype handle, Size* result) {
  const Guard guard(call);
  if (const int code = bad_representation(call, representation); code != MPI_SUCCESS) return code;
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  return size(nullptr, call, count, type, data::external_size(type), result);
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;
using api::Way;

#define WEFT_PACK(Count, ExternalSize, suffix)                                                                                            \
  WEFT_API(int, Pack##suffix)(const void* inbuf, Count incount, MPI_Datatype datatype, void* outbuf, Count outsize, Count* position,     \
                              MPI_Comm comm) {                                                                                            \
    return api::move<Way::pack>("MPI_Pack" #suffix, comm, inbuf, incount, datatype, api::Stream<Count>{outbuf, outsize, position});      \
  }                                                                                                                                       \
  WEFT_API(int, Unpack##suffix)(const void* inbuf, Count insize, Count* position, void* outbuf, Count outcount, MPI_Datatype datatype,   \
                                MPI_Comm comm) {                                                                                          \
    return api::move<Way::unpack>("MPI_Unpack" #suffix, comm, outbuf, outcount, datatype, api::Stream<Count>{inbuf, insize, position});  \
  }                                                                                                                                       \
  WEFT_API(int, Pack_size##suffix)(Count incount, MPI_Datatype datatype, MPI_Comm comm, Count* size) {                                    \
    return api::pack_size("MPI_Pack_size" #suffix, incount, datatype, comm, size);                                                        \
  }                                                                                                                                       \
  WEFT_API(int, Pack_external##suffix)(const char* datarep, const void* inbuf, Count incount, MPI_Datatype datatype, void* outbuf,       \
                                       ExternalSize outsize, ExternalSize* position) {                                                    \
    return api::move_external<Way::pack>("MPI_Pack_external" #suffix, datarep, inbuf, incount, datatype,                                  \
                                         api::Stream<ExternalSize>{outbuf, outsize, position});                                           \
  }                                                                                                                                       \
  WEFT_API(int, Unpack_external##suffix)(const char datarep[], const void* inbuf, ExternalSize insize, ExternalSize* position,           \
                                         void* outbuf, Count outcount, MPI_Datatype datatype) {                                           \
    return api::move_external<Way::unpack>("MPI_Unpack_external" #suffix, datarep, outbuf, outcount, datatype,                            \
                                           api::Stream<ExternalSize>{inbuf, insize, position});                                           \
  }                                                                                                                                       \
  WEFT_API(int, Pack_external_size##suffix)(const char* datarep, Count incount, MPI_Datatype datatype, ExternalSize* size) {             \
    return api::external_pack_size("MPI_Pack_external_size" #suffix, datarep, incount, datatype, size);                                   \
  }
WEFT_PACK(int, MPI_Aint, )
WEFT_PACK(MPI_Count, MPI_Count, _c)

WEFT_API(int, Get_address)(const void* location, MPI_Aint* address) {
  if (address == nullptr) {
    const api::Guard guard("MPI_Get_address");
    return api::null_argument(nullptr, "MPI_Get_address", "address");
  }
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

// Addresses wrap like pointers.
WEFT_API(MPI_Aint, Aint_add)(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
WEFT_API(MPI_Aint, Aint_diff)(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
