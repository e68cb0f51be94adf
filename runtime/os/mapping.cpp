// Memory files, their pages and their mappings.
#include "os/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/core.h>

namespace weft::os {

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    if (address_ != nullptr) (void)::munmap(address_, bytes_);
    address_ = std::exchange(other.address_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Mapping::~Mapping() {
  if (address_ != nullptr) (void)::munmap(address_, bytes_);
}

Expected<Fd> create_memory_file(const char* label, std::size_t bytes) {
  Fd file(::memfd_create(label, MFD_CLOEXEC));
  if (!file) return system_failure("memfd_create", errno);
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return system_failure(fmt::format("ftruncate of a memory file to {} bytes", bytes), errno);
  return file;
}

Expected<Mapping> map_file(const Fd& file, std::size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  if (address == MAP_FAILED) return system_failure(fmt::format("mmap of {} bytes", bytes), errno);
  return Mapping(address, bytes);
}

Done reserve_file(int file, std::size_t offset, std::size_t bytes) {
  int result = 0;
  do {
    result = ::fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return Nothing{};
  const long pages = ::sysconf(_SC_AVPHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  const int error = errno;
  return system_failure(fmt::format("shared memory: {} bytes needed, {} bytes free on this host", bytes, pages * page_bytes), error);
}

}  // namespace weft::os
