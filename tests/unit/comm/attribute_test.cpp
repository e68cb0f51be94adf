// MPI's rules for attributes: order of callbacks, errors that stop, keyvals that outlive their freeing.
#include "comm/attribute.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace weft::comm {
namespace {

constexpr auto kind = ObjectKind::communicator;

// What the callbacks saw, and what they shall answer.
struct Seen {
  std::vector<void*> copied, deleted;
  int copy_answer = MPI_SUCCESS;
  int delete_answer = MPI_SUCCESS;
  int copy_flag = 1;
};
int value_a, value_b, value_c, object;

int copy_seen(void* handle, int, void* extra_state, void* value_in, void* value_out, int* flag) {
  EXPECT_EQ(handle, &object);
  auto* seen = static_cast<Seen*>(extra_state);
  seen->copied.push_back(value_in);
  *static_cast<void**>(value_out) = value_in;
  *flag = seen->copy_flag;
  return seen->copy_answer;
}

int delete_seen(void* handle, int, void* value, void* extra_state) {
  EXPECT_EQ(handle, &object);
  auto* seen = static_cast<Seen*>(extra_state);
  seen->deleted.push_back(value);
  return seen->delete_answer;
}

struct Attributes : testing::Test {
  Seen seen;
  AttributeStore store;
  int make() {
    int keyval = 0;
    EXPECT_EQ(create_keyval(kind, copy_seen, delete_seen, &seen, keyval), MPI_SUCCESS);
    return keyval;
  }
  void put(int keyval, void* value) { EXPECT_EQ(set_attribute(store, kind, &object, keyval, value), MPI_SUCCESS); }
  bool has(int keyval, void* value) {
    void* found = nullptr;
    return get_attribute(store, keyval, found) && found == value;
  }
  ~Attributes() override {
    seen.delete_answer = MPI_SUCCESS;
    (void)delete_all_attributes(store, kind, &object);
  }
};

TEST_F(Attributes, SettingAgainDeletesTheOldValueFirst) {
  const int key = make();
  put(key, &value_a);
  put(key, &value_b);
  EXPECT_EQ(seen.deleted, std::vector<void*>{&value_a});
  EXPECT_TRUE(has(key, &value_b));
}

TEST_F(Attributes, ADeleteThatFailsLeavesTheAttribute) {
  const int key = make();
  put(key, &value_a);
  seen.delete_answer = 77;
  EXPECT_EQ(delete_attribute(store, kind, &object, key), 77);
  EXPECT_EQ(set_attribute(store, kind, &object, key, &value_b), 77);
  EXPECT_TRUE(has(key, &value_a));
}

TEST_F(Attributes, AllAreDeletedInReverseOrderOfSetting) {
  put(make(), &value_a);
  put(make(), &value_b);
  put(make(), &value_c);
  EXPECT_EQ(delete_all_attributes(store, kind, &object), MPI_SUCCESS);
  EXPECT_EQ(seen.deleted, (std::vector<void*>{&value_c, &value_b, &value_a}));
}

TEST_F(Attributes, CopyFollowsTheCallbacksFlagAndStopsAtAnError) {
  AttributeStore copy;
  put(make(), &value_a);
  seen.copy_flag = 0;
  EXPECT_EQ(copy_attributes(store, copy, kind, &object), MPI_SUCCESS);
  EXPECT_TRUE(copy.empty());
  seen.copy_flag = 1;
  seen.copy_answer = 55;
  put(make(), &value_b);
  seen.copied.clear();
  EXPECT_EQ(copy_attributes(store, copy, kind, &object), 55);
  EXPECT_EQ(seen.copied.size(), 1u);
}

TEST_F(Attributes, TheSpelledCopyFunctionsOfTheStandard) {
  AttributeStore copy;
  int never = 0, always = 0;
  create_keyval(kind, nullptr, nullptr, nullptr, never);
  create_keyval(kind, reinterpret_cast<AttributeCopy>(MPI_COMM_DUP_FN), nullptr, nullptr, always);
  put(never, &value_a);
  put(always, &value_b);
  EXPECT_EQ(copy_attributes(store, copy, kind, &object), MPI_SUCCESS);
  void* found = nullptr;
  EXPECT_FALSE(get_attribute(copy, never, found));
  EXPECT_TRUE(get_attribute(copy, always, found));
  EXPECT_EQ(found, &value_b);
  EXPECT_EQ(delete_all_attributes(copy, kind, &object), MPI_SUCCESS);
}

TEST_F(Attributes, AFreedKeyvalLivesUntilItsLastAttributeIsGone) {
  const int key = make();
  put(key, &value_a);
  EXPECT_EQ(free_keyval(kind, key), MPI_SUCCESS);
  EXPECT_FALSE(valid_keyval(kind, key));
  EXPECT_EQ(set_attribute(store, kind, &object, key, &value_b), MPI_ERR_KEYVAL);
  EXPECT_NE(make(), key) << "the number was given out again while an attribute lives under it";
  EXPECT_EQ(delete_attribute(store, kind, &object, key), MPI_SUCCESS);
  EXPECT_EQ(seen.deleted, std::vector<void*>{&value_a});
  EXPECT_FALSE(known_keyval(kind, key));
}

TEST_F(Attributes, AKeyvalServesItsOwnKindOnly) {
  const int key = make();
  EXPECT_EQ(set_attribute(store, ObjectKind::datatype, &object, key, &value_a), MPI_ERR_KEYVAL);
  EXPECT_EQ(free_keyval(ObjectKind::window, key), MPI_ERR_KEYVAL);
  EXPECT_EQ(free_keyval(kind, MPI_TAG_UB), MPI_ERR_KEYVAL);
  EXPECT_EQ(free_keyval(kind, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
}

int delete_that_creates(void*, int, void*, void*) {
  for (int i = 0; i < 100; ++i) {
    int keyval = 0;
    create_keyval(kind, nullptr, nullptr, nullptr, keyval);
  }
  return MPI_SUCCESS;
}

TEST_F(Attributes, ACallbackMayCreateKeyvals) {
  int key = 0;
  create_keyval(kind, nullptr, delete_that_creates, nullptr, key);
  put(key, &value_a);
  EXPECT_EQ(delete_all_attributes(store, kind, &object), MPI_SUCCESS);
}

}  // namespace
}  // namespace weft::comm
