// Counting what a status received, in whole and in basic elements, and setting it. MPI_UNDEFINED where there is no whole
// number of them, or where the result's type cannot hold it.
#include <limits>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/status.hpp"

namespace weft::api {
namespace {

enum class Of : bool { whole, basic };

template <Of of, typename Count>
int count(const char* call, const MPI_Status* status, MPI_Datatype handle, Count* result) {
  const Guard guard(call);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  if (status == nullptr || result == nullptr) return null_argument(nullptr, call, status == nullptr ? "status" : "count");
  const auto bytes = static_cast<std::int64_t>(status_bytes(*status));
  const std::int64_t elements = of == Of::whole ? data::whole_count(type, bytes) : data::basic_count(type, bytes);
  *result = elements < 0 || elements > std::numeric_limits<Count>::max() ? Count{MPI_UNDEFINED} : static_cast<Count>(elements);
  return MPI_SUCCESS;
}

int set_elements(const char* call, MPI_Status* status, MPI_Datatype handle, std::int64_t elements) {
  const Guard guard(call);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  if (status == nullptr) return null_argument(nullptr, call, "status");
  if (elements < 0) return bad_count(nullptr, call, elements);
  const std::int64_t bytes = data::bytes_of_basic(type, elements);
  if (bytes < 0) return raise(nullptr, MPI_ERR_COUNT, call, "count", elements, "0 for a type without data, and less than 64 bits of bytes");
  set_status_bytes(*status, static_cast<std::uint64_t>(bytes));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using weft::api::Of;

#define WEFT_STATUS_COUNT(Name, of, Count)                                             \
  WEFT_API(int, Name)(const MPI_Status* status, MPI_Datatype datatype, Count* count) { \
    return weft::api::count<of>("MPI_" #Name, status, datatype, count);                \
  }
WEFT_STATUS_COUNT(Get_count, Of::whole, int)
WEFT_STATUS_COUNT(Get_count_c, Of::whole, MPI_Count)
WEFT_STATUS_COUNT(Get_elements, Of::basic, int)
WEFT_STATUS_COUNT(Get_elements_c, Of::basic, MPI_Count)
WEFT_STATUS_COUNT(Get_elements_x, Of::basic, MPI_Count)

#define WEFT_STATUS_SET(Name, Count)                                                   \
  WEFT_API(int, Name)(MPI_Status* status, MPI_Datatype datatype, Count count) {        \
    return weft::api::set_elements("MPI_" #Name, status, datatype, count);             \
  }
WEFT_STATUS_SET(Status_set_elements, int)
WEFT_STATUS_SET(Status_set_elements_c, MPI_Count)
WEFT_STATUS_SET(Status_set_elements_x, MPI_Count)
