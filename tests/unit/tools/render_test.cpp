// weft-info's text: what people read is made from the same facts that programs read.
#include <gtest/gtest.h>

#include "info/render.hpp"

namespace weft::info {
namespace {

TEST(Render, AnObjectIsLines) {
  EXPECT_EQ(as_text({{"name", "weft"}, {"ranks", 4}, {"idle", true}}), "  name: weft\n  ranks: 4\n  idle: yes\n");
}

TEST(Render, AnArrayOfObjectsIsATable) {
  const Facts table = Facts::array({{{"peer", 1}, {"fabric", "self"}}, {{"peer", 12}, {"fabric", "shm"}}});
  EXPECT_EQ(as_text(table), "  peer fabric\n  1    self\n  12   shm\n");
}

TEST(Render, WordsAreWrappedAndAnEmptyListSaysSo) {
  Facts many = Facts::array();
  for (int i = 0; i < 30; ++i) many.push_back("MPI_Something");
  const std::string text = as_text({{"missing", many}, {"other", Facts::array()}});
  EXPECT_NE(text.find("\n  MPI_Something"), std::string::npos);
  EXPECT_NE(text.find("other: none"), std::string::npos);
}

}  // namespace
}  // namespace weft::info
