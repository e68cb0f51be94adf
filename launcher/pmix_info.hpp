// A list of PMIx infos that owns what it points to. Types are those the PMIx standard gives each key.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <pmix_server.h>

namespace weft::launcher {

class InfoList {
 public:
  InfoList() = default;
  InfoList(InfoList&& other) noexcept : infos_(std::exchange(other.infos_, {})) {}
  InfoList(const InfoList&) = delete;
  InfoList& operator=(const InfoList&) = delete;
  ~InfoList() {
    for (pmix_info_t& info : infos_) PMIX_INFO_DESTRUCT(&info);
  }

  void add_text(const char* key, const std::string& text) { load(key, text.c_str(), PMIX_STRING); }
  void add_regex(const char* key, const char* regex) { load(key, regex, PMIX_REGEX); }
  void add_number(const char* key, std::uint32_t number) { load(key, &number, PMIX_UINT32); }
  void add_short(const char* key, std::uint16_t number) { load(key, &number, PMIX_UINT16); }
  void add_rank(const char* key, pmix_rank_t rank) { load(key, &rank, PMIX_PROC_RANK); }
  void add_flag(const char* key, bool flag) { load(key, &flag, PMIX_BOOL); }

  // The topology stays its owner's: PMIx only looks at it.
  void add_topology(const char* key, pmix_topology_t& topology) {
    pmix_info_t& info = infos_.emplace_back();
    PMIX_LOAD_KEY(info.key, key);
    info.flags = PMIX_INFO_PERSISTENT;          // not to be destroyed with the list
    info.value.type = PMIX_TOPO;
    info.value.data.topo = &topology;
  }

  // The list becomes one value, an array.
  void add_list(const char* key, InfoList list) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = list.infos_.size();
    array.array = list.infos_.data();
    load(key, &array, PMIX_DATA_ARRAY);         // copies
  }

  pmix_info_t* data() noexcept { return infos_.data(); }
  std::size_t size() const noexcept { return infos_.size(); }

 private:
  void load(const char* key, const void* value, pmix_data_type_t type) {
    pmix_info_t& info = infos_.emplace_back();
    PMIX_INFO_LOAD(&info, key, value, type);
  }
  std::vector<pmix_info_t> infos_;
};

}  // namespace weft::launcher
