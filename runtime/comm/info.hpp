// Info: an ordered list of (key, value) texts. Lookup is linear: infos are short. Called by api under the runtime lock,
// also before initialisation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/object.hpp"

namespace weft::comm {

class Info {
 public:
  static constexpr std::uint32_t magic_value = 0x57496e66;
  std::uint32_t magic = magic_value;

  const std::string* find(std::string_view key) const noexcept;
  void set(std::string_view key, std::string_view value);
  bool remove(std::string_view key);
  int size() const noexcept { return static_cast<int>(entries_.size()); }
  const std::pair<std::string, std::string>& entry(int n) const { return entries_[static_cast<std::size_t>(n)]; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

Info* make_info();
Info* duplicate(const Info& info);
void release(Info& info);

// MPI_INFO_ENV: how this program was started (command, argv, wdir, maxprocs, thread_level ...).
Info& environment_info();
void describe_program(Info& info);    // what is known without the job: command, argv, host, arch, wdir
void describe_environment(int size, const char* thread_level);   // called once by bring_up

}  // namespace weft::comm
