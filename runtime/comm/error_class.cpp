// The table of mpi.h's classes, and the registry of the program's own.
#include "comm/error_class.hpp"

#include <mpi.h>

#include <map>
#include <string>

namespace weft::comm {
namespace {

struct ClassText {
  int error_class;
  const char* name;
  const char* words;
};
#define ROW(name, words) {name, #name, words}
constexpr ClassText class_table[] = {
    ROW(MPI_SUCCESS, "no error"),
    ROW(MPI_ERR_BUFFER, "the buffer is not usable"),
    ROW(MPI_ERR_COUNT, "the count is outside its range"),
    ROW(MPI_ERR_TYPE, "not a usable datatype"),
    ROW(MPI_ERR_TAG, "the tag is outside its range"),
    ROW(MPI_ERR_COMM, "not a communicator"),
    ROW(MPI_ERR_RANK, "the rank is outside its range"),
    ROW(MPI_ERR_REQUEST, "not a request"),
    ROW(MPI_ERR_ROOT, "the root is outside its range"),
    ROW(MPI_ERR_GROUP, "not a usable group"),
    ROW(MPI_ERR_OP, "not a usable operation"),
    ROW(MPI_ERR_TOPOLOGY, "not a usable topology"),
    ROW(MPI_ERR_DIMS, "a dimension is outside its range"),
    ROW(MPI_ERR_ARG, "an argument is wrong"),
    ROW(MPI_ERR_UNKNOWN, "an error without a class"),
    ROW(MPI_ERR_TRUNCATE, "the message is longer than the receive buffer"),
    ROW(MPI_ERR_OTHER, "an error of another kind"),
    ROW(MPI_ERR_INTERN, "an internal error of the library"),
    ROW(MPI_ERR_PENDING, "the request is neither complete nor failed"),
    ROW(MPI_ERR_IN_STATUS, "the error codes are in the statuses"),
    ROW(MPI_ERR_ACCESS, "permission denied"),
    ROW(MPI_ERR_AMODE, "the access mode is wrong"),
    ROW(MPI_ERR_ASSERT, "the assertion argument is wrong"),
    ROW(MPI_ERR_BAD_FILE, "the file name is wrong"),
    ROW(MPI_ERR_BASE, "the base address is wrong"),
    ROW(MPI_ERR_CONVERSION, "a data conversion function failed"),
    ROW(MPI_ERR_DISP, "the displacement is outside its range"),
    ROW(MPI_ERR_DUP_DATAREP, "a data representation of this name exists"),
    ROW(MPI_ERR_FILE_EXISTS, "the file exists"),
    ROW(MPI_ERR_FILE_IN_USE, "the file is open in a process"),
    ROW(MPI_ERR_FILE, "not a file handle"),
    ROW(MPI_ERR_INFO_KEY, "the info key is too long or empty"),
    ROW(MPI_ERR_INFO_NOKEY, "the info has no such key"),
    ROW(MPI_ERR_INFO_VALUE, "the info value is too long or empty"),
    ROW(MPI_ERR_INFO, "not an info object"),
    ROW(MPI_ERR_IO, "input or output failed"),
    ROW(MPI_ERR_KEYVAL, "not a usable attribute key"),
    ROW(MPI_ERR_LOCKTYPE, "the lock type is wrong"),
    ROW(MPI_ERR_NAME, "no service was published under this name"),
    ROW(MPI_ERR_NO_MEM, "memory ran out"),
    ROW(MPI_ERR_NOT_SAME, "the processes passed different values to a collective call"),
    ROW(MPI_ERR_NO_SPACE, "space ran out"),
    ROW(MPI_ERR_NO_SUCH_FILE, "the file does not exist"),
    ROW(MPI_ERR_PORT, "the port name is wrong"),
    ROW(MPI_ERR_QUOTA, "the quota is used up"),
    ROW(MPI_ERR_READ_ONLY, "the file or file system can only be read"),
    ROW(MPI_ERR_RMA_ATTACH, "the memory can't be attached"),
    ROW(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    ROW(MPI_ERR_RMA_RANGE, "the target memory is outside the window"),
    ROW(MPI_ERR_RMA_SHARED, "the memory can't be shared"),
    ROW(MPI_ERR_RMA_SYNC, "wrong synchronisation of window accesses"),
    ROW(MPI_ERR_SERVICE, "the service name was published before, or never"),
    ROW(MPI_ERR_SIZE, "the size is outside its range"),
    ROW(MPI_ERR_SPAWN, "the processes can't be started"),
    ROW(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"),
    ROW(MPI_ERR_UNSUPPORTED_OPERATION, "the operation is not supported here"),
    ROW(MPI_ERR_WIN, "not a window"),
    ROW(MPI_ERR_RMA_FLAVOR, "the window is of the wrong flavor"),
    ROW(MPI_ERR_PROC_ABORTED, "the other process is gone"),
    ROW(MPI_ERR_VALUE_TOO_LARGE, "the value does not fit its type"),
    ROW(MPI_ERR_SESSION, "not a session"),
    ROW(MPI_ERR_ERRHANDLER, "not a usable error handler"),
    ROW(MPI_ERR_ABI, "the binary interface does not have it"),
    ROW(MPI_ERR_LASTCODE, "the last of the standard's error codes"),
};
#undef ROW

const ClassText* find_class(int error_class) noexcept {
  for (const ClassText& row : class_table)
    if (row.error_class == error_class) return &row;
  return nullptr;
}

struct Added {
  int error_class;             // itself, for a class
  bool has_text = false;
  std::string text;
};
std::map<int, Added>& added() {
  static std::map<int, Added> codes;
  return codes;
}
int last_code = MPI_ERR_LASTCODE;    // never falls below the highest code in use

Added* find_added(int code) {
  const auto found = added().find(code);
  return found == added().end() ? nullptr : &found->second;
}

bool remove_code(int code) {
  added().erase(code);
  last_code = added().empty() ? MPI_ERR_LASTCODE : added().rbegin()->first;
  return true;
}

}  // namespace

int error_class_of(Status status) noexcept {
  switch (status) {
    case Status::ok: return MPI_SUCCESS;
    case Status::truncated: return MPI_ERR_TRUNCATE;
    case Status::cancelled: return MPI_ERR_OTHER;
    case Status::peer_lost: return MPI_ERR_PROC_ABORTED;
    case Status::no_memory: return MPI_ERR_NO_MEM;
    case Status::no_space: return MPI_ERR_NO_SPACE;
    case Status::unsupported: return MPI_ERR_UNSUPPORTED_OPERATION;
    case Status::bad_argument: return MPI_ERR_ARG;
    case Status::denied: return MPI_ERR_ACCESS;
    case Status::timed_out: return MPI_ERR_OTHER;
    case Status::not_found: return MPI_ERR_NAME;
    case Status::refused: return MPI_ERR_OTHER;
    case Status::system: return MPI_ERR_OTHER;
    case Status::internal: return MPI_ERR_INTERN;
  }
  return MPI_ERR_UNKNOWN;
}

const char* error_class_name(int error_class) noexcept {
  const ClassText* row = find_class(error_class);
  return row == nullptr ? "" : row->name;
}

const char* error_words(int code) {
  if (const ClassText* row = find_class(code)) return row->words;
  const Added* mine = find_added(code);
  return mine == nullptr ? nullptr : mine->text.c_str();
}

int error_class_of_code(int code) {
  if (find_class(code) != nullptr) return code;
  const Added* mine = find_added(code);
  return mine == nullptr ? -1 : mine->error_class;
}

int last_used_code() noexcept { return last_code; }
void* last_used_code_attribute() noexcept { return &last_code; }

int add_error_class() {
  const int code = ++last_code;
  added()[code] = Added{code, false, {}};
  return code;
}

int add_error_code(int error_class) {
  if (error_class_of_code(error_class) != error_class) return -1;
  const int code = ++last_code;
  added()[code] = Added{error_class, false, {}};
  return code;
}

bool add_error_string(int code, std::string_view text) {
  Added* mine = find_added(code);
  if (mine == nullptr) return false;
  mine->has_text = true;
  mine->text = text;
  return true;
}

bool remove_error_class(int error_class) {
  const Added* mine = find_added(error_class);
  if (mine == nullptr || mine->error_class != error_class || mine->has_text) return false;
  for (const auto& [code, entry] : added())
    if (code != error_class && entry.error_class == error_class) return false;
  return remove_code(error_class);
}

bool remove_error_code(int code) {
  const Added* mine = find_added(code);
  if (mine == nullptr || mine->error_class == code || mine->has_text) return false;
  return remove_code(code);
}

bool remove_error_string(int code) {
  Added* mine = find_added(code);
  if (mine == nullptr || !mine->has_text) return false;
  mine->has_text = false;
  mine->text.clear();
  return true;
}

}  // namespace weft::comm
