// Every class of mpi.h has words; the program's own classes and codes come and go by MPI's rules; handlers do as they say.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "comm/error_class.hpp"
#include "comm/error_handler.hpp"

namespace weft::comm {
namespace {

TEST(ErrorClass, EveryClassOfTheStandardHasAWordOfItsOwn) {
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    ASSERT_NE(error_words(code), nullptr) << code;
    EXPECT_EQ(error_class_of_code(code), code);
    EXPECT_EQ(std::string(error_class_name(code)).rfind("MPI_", 0), 0u) << code;
  }
  EXPECT_EQ(error_words(MPI_ERR_LASTCODE + 1), nullptr);
  EXPECT_EQ(error_class_of_code(-1), -1);
}

TEST(ErrorClass, EveryStatusHasAClass) {
  for (int status = 0; status <= static_cast<int>(Status::internal); ++status)
    EXPECT_NE(error_class_of(static_cast<Status>(status)), MPI_ERR_UNKNOWN) << status;
  EXPECT_EQ(error_class_of(Status::ok), MPI_SUCCESS);
  EXPECT_EQ(error_class_of(Status::truncated), MPI_ERR_TRUNCATE);
}

TEST(ErrorClass, AddedOnesCountUpAndAreRemovedOnlyWhenNothingStandsOnThem) {
  const int own_class = add_error_class();
  EXPECT_GT(own_class, MPI_ERR_LASTCODE);
  EXPECT_EQ(last_used_code(), own_class);
  const int code = add_error_code(own_class);
  EXPECT_EQ(last_used_code(), code);
  EXPECT_EQ(error_class_of_code(code), own_class);
  EXPECT_STREQ(error_words(code), "");
  EXPECT_TRUE(add_error_string(code, "out of cheese"));
  EXPECT_STREQ(error_words(code), "out of cheese");
  EXPECT_FALSE(add_error_string(MPI_ERR_ARG, "ours now"));
  EXPECT_EQ(add_error_code(code), -1) << "a code is no class";

  EXPECT_FALSE(remove_error_class(own_class));
  EXPECT_FALSE(remove_error_code(code)) << "it has a string";
  EXPECT_FALSE(remove_error_code(own_class));
  EXPECT_FALSE(remove_error_class(MPI_ERR_ARG));
  EXPECT_TRUE(remove_error_string(code));
  EXPECT_FALSE(remove_error_string(code));
  EXPECT_TRUE(remove_error_code(code));
  EXPECT_TRUE(remove_error_class(own_class));
  EXPECT_EQ(last_used_code(), MPI_ERR_LASTCODE);
}

int calls;
void count_call(void** handle, int* code, ...) {
  ++calls;
  EXPECT_EQ(*code, MPI_ERR_TAG);
  *code = MPI_ERR_OTHER;           // what a handler writes there is its own business
  *handle = nullptr;
}

TEST(ErrorHandler, TheProgramsFunctionIsCalledOnceAndTheCodeStays) {
  ErrorHandler* handler = create_error_handler(ObjectKind::communicator, count_call);
  int object = 0;
  calls = 0;
  EXPECT_EQ(raise_at({handler, &object, "communicator", "x"}, MPI_ERR_TAG, "text"), MPI_ERR_TAG);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(raise_at({&errors_return(), &object, "communicator", "x"}, MPI_ERR_TAG, "text"), MPI_ERR_TAG);
  EXPECT_EQ(calls, 1);
  take_handle(*handler);
  EXPECT_NE(handler->magic, ErrorHandler::magic_value);
}

TEST(ErrorHandlerDeathTest, AFatalErrorSaysCallClassAndObjectOnce) {
  EXPECT_EXIT(raise_at({&errors_are_fatal(), nullptr, "communicator", "MPI_COMM_WORLD"}, MPI_ERR_TAG, "MPI_Send: tag is -5"),
              testing::ExitedWithCode(MPI_ERR_TAG), "MPI_Send: tag is -5.*MPI_ERR_TAG.*communicator MPI_COMM_WORLD");
}

}  // namespace
}  // namespace weft::comm
