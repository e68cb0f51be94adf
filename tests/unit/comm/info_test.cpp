// Info keeps keys in order of setting; a copy is its own.
#include "comm/info.hpp"

#include <gtest/gtest.h>

namespace weft::comm {
namespace {

TEST(Info, SetsReplacesFindsAndRemoves) {
  Info* info = make_info();
  info->set("one", "1");
  info->set("two", "2");
  info->set("one", "uno");
  EXPECT_EQ(info->size(), 2);
  EXPECT_EQ(info->entry(0).first, "one");
  EXPECT_EQ(*info->find("one"), "uno");
  EXPECT_EQ(info->find("three"), nullptr);
  EXPECT_TRUE(info->remove("one"));
  EXPECT_FALSE(info->remove("one"));
  EXPECT_EQ(info->entry(0).first, "two");
  release(*info);
}

TEST(Info, ACopyIsItsOwn) {
  Info* info = make_info();
  info->set("key", "old");
  Info* copy = duplicate(*info);
  info->set("key", "new");
  EXPECT_EQ(*copy->find("key"), "old");
  release(*info);
  EXPECT_NE(info->magic, Info::magic_value) << "a freed info must not pass for one";
  EXPECT_EQ(copy->magic, Info::magic_value);
  release(*copy);
}

TEST(Info, TheEnvironmentNamesTheProgram) {
  describe_environment(3, "MPI_THREAD_SINGLE");
  const Info& environment = environment_info();
  ASSERT_NE(environment.find("command"), nullptr);
  EXPECT_NE(environment.find("command")->find("unit-comm"), std::string::npos);
  EXPECT_EQ(*environment.find("maxprocs"), "3");
  EXPECT_EQ(*environment.find("thread_level"), "MPI_THREAD_SINGLE");
}

}  // namespace
}  // namespace weft::comm
