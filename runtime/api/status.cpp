// Reading and writing statuses.
#include "api/status.hpp"

#include "api/api.hpp"

namespace api = weft::api;

WEFT_API(int, Test_cancelled)(const MPI_Status* status, int* flag) {
  const api::Guard guard("MPI_Test_cancelled");
  if (status == nullptr || flag == nullptr) return api::null_argument(nullptr, "MPI_Test_cancelled", status == nullptr ? "status" : "flag");
  *flag = api::status_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

WEFT_API(int, Status_set_cancelled)(MPI_Status* status, int flag) {
  const api::Guard guard("MPI_Status_set_cancelled");
  if (status == nullptr) return api::null_argument(nullptr, "MPI_Status_set_cancelled", "status");
  api::set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

#define WEFT_STATUS_FIELD(lower, field)                                                                      \
  WEFT_API(int, Status_get_##lower)(const MPI_Status* status, int* value) {                                  \
    const api::Guard guard("MPI_Status_get_" #lower);                                                        \
    if (status == nullptr || value == nullptr)                                                               \
      return api::null_argument(nullptr, "MPI_Status_get_" #lower, status == nullptr ? "status" : #lower);   \
    *value = status->field;                                                                                  \
    return MPI_SUCCESS;                                                                                      \
  }                                                                                                          \
  WEFT_API(int, Status_set_##lower)(MPI_Status* status, int value) {                                         \
    const api::Guard guard("MPI_Status_set_" #lower);                                                        \
    if (status == nullptr) return api::null_argument(nullptr, "MPI_Status_set_" #lower, "status");           \
    status->field = value;                                                                                   \
    return MPI_SUCCESS;                                                                                      \
  }
WEFT_STATUS_FIELD(source, MPI_SOURCE)
WEFT_STATUS_FIELD(tag, MPI_TAG)
WEFT_STATUS_FIELD(error, MPI_ERROR)
