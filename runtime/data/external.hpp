// The external32 representation: basic elements in typemap order, big-endian, in the standard's sizes. Called by api/.
// Slow and simple: portable files and messages between unlike machines, not the hot path.
#pragma once

#include "data/datatype.hpp"

namespace weft::data {

// Bytes of one element in external32.
std::int64_t external_size(const Datatype* type);
void external_pack(const Datatype* type, const void* address, std::int64_t count, void* out);
void external_unpack(const Datatype* type, void* address, std::int64_t count, const void* in);

}  // namespace weft::data
