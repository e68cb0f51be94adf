// The program's callbacks behind a request.
#include "comm/generalized.hpp"

#include "match/engine.hpp"

namespace weft::comm {
namespace {

class Generalized final : public match::Request {
 public:
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel_function = nullptr;
  void* state = nullptr;

  void complete() { finish(Status::ok); }
  void cancel() override {
    if (cancel_function != nullptr) (void)cancel_function(state, done ? 1 : 0);
  }
  int make_status(void* into) override { return query != nullptr ? query(state, static_cast<MPI_Status*>(into)) : MPI_SUCCESS; }
  void release() override {
    magic = 0;
    if (free != nullptr) (void)free(state);
    delete this;
  }
};

}  // namespace

match::Request* start_generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                                  void* state) {
  auto* request = new Generalized;
  request->magic = match::Request::magic_value;
  request->form = match::Form::made;
  request->query = query;
  request->free = free;
  request->cancel_function = cancel;
  request->state = state;
  return request;
}

void complete_generalized(match::Request* request) {
  static_cast<Generalized*>(request)->complete();
  match::engine().stir();
}

}  // namespace weft::comm
