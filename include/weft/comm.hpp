// Communicators. Every function that takes data takes one value or a contiguous range of values; lengths are counted in
// values; tags are 0 unless given. All throw weft::Error as error.hpp says. Collective functions are called by every rank
// of the communicator, with the same root and, unless said otherwise, the same length.
#pragma once

#include "buffer.hpp"
#include "error.hpp"
#include "operation.hpp"
#include "request.hpp"

#include <utility>
#include <vector>

namespace weft {

class Comm {
 public:
  // Every rank of the job, and this rank alone. Neither is freed.
  [[nodiscard]] static Comm world() { return Comm(MPI_COMM_WORLD, false); }
  [[nodiscard]] static Comm self() { return Comm(MPI_COMM_SELF, false); }
  // A view of a handle that somebody else owns.
  [[nodiscard]] static Comm view(MPI_Comm handle) { return Comm(handle, false); }

  Comm(Comm&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), owned_(std::exchange(other.owned_, false)) {}
  Comm& operator=(Comm&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Comm()
  {
    if (owned_ && handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }

  [[nodiscard]] int rank() const
  {
    int result = 0;
    check(MPI_Comm_rank(handle_, &result), "MPI_Comm_rank");
    return result;
  }
  [[nodiscard]] int size() const
  {
    int result = 0;
    check(MPI_Comm_size(handle_, &result), "MPI_Comm_size");
    return result;
  }
  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }
  // False for a rank that split() left out.
  explicit operator bool() const noexcept { return handle_ != MPI_COMM_NULL; }

  // Collective. The same ranks, apart from all other traffic.
  [[nodiscard]] Comm dup() const
  {
    MPI_Comm result;
    check(MPI_Comm_dup(handle_, &result), "MPI_Comm_dup");
    return Comm(result, true);
  }
  // Collective. Ranks of one colour together, ordered by key, then by rank; colour MPI_UNDEFINED: an empty Comm.
  [[nodiscard]] Comm split(int colour, int key = 0) const
  {
    MPI_Comm result;
    check(MPI_Comm_split(handle_, colour, key, &result), "MPI_Comm_split");
    return Comm(result, true);
  }

  // ---- point-to-point ----

  // Returns when the data may be changed again.
  template <Sendable T>
  void send(const T& data, int to, int tag = 0) const
  {
    const auto e = elements_of(data);
    check(MPI_Send_c(e.address, e.count, e.type, to, tag, handle_), "MPI_Send");
  }

  // Into a buffer at least as long as the message; Status::count tells how much came. A longer message: MPI_ERR_TRUNCATE.
  template <Writable T>
  Status receive(T&& data, int from = any_source, int tag = any_tag) const
  {
    const auto e = elements_of(data);
    MPI_Status status;
    check(MPI_Recv_c(e.address, e.count, e.type, from, tag, handle_, &status), "MPI_Recv");
    return Status(status);
  }

  // One value.
  template <Single T>
  [[nodiscard]] T receive(int from = any_source, int tag = any_tag) const
  {
    T result{};
    receive(result, from, tag);
    return result;
  }

  // A message of any length.
  template <Transferable T>
  [[nodiscard]] std::vector<T> receive_vector(int from = any_source, int tag = any_tag) const
  {
    MPI_Message message;
    MPI_Status status;
    check(MPI_Mprobe(from, tag, handle_, &message, &status), "MPI_Mprobe");
    std::vector<T> result(Status(status).count<T>());
    const auto e = elements_of(result);
    check(MPI_Mrecv_c(e.address, e.count, e.type, &message, &status), "MPI_Mrecv");
    return result;
  }

  // Sends `out` and receives `in` at once.
  template <Sendable Out, Writable In>
  Status sendrecv(const Out& out, int to, In&& in, int from, int tag = 0) const
  {
    const auto o = elements_of(out);
    const auto i = elements_of(in);
    MPI_Status status;
    check(MPI_Sendrecv_c(o.address, o.count, o.type, to, tag, i.address, i.count, i.type, from, tag, handle_, &status), "MPI_Sendrecv");
    return Status(status);
  }

  // The data must stay alive and unchanged until the request is complete; temporaries are refused at compile time.
  template <class T>
    requires Sendable<T> && Lasting<T>
  [[nodiscard]] Request isend(T&& data, int to, int tag = 0) const
  {
    const auto e = elements_of(data);
    MPI_Request request;
    check(MPI_Isend_c(e.address, e.count, e.type, to, tag, handle_, &request), "MPI_Isend");
    return Request(request);
  }

  template <class T>
    requires Writable<T> && Lasting<T>
  [[nodiscard]] Request irecv(T&& data, int from = any_source, int tag = any_tag) const
  {
    const auto e = elements_of(data);
    MPI_Request request;
    check(MPI_Irecv_c(e.address, e.count, e.type, from, tag, handle_, &request), "MPI_Irecv");
    return Request(request);
  }

  // ---- collectives ----

  void barrier() const { check(MPI_Barrier(handle_), "MPI_Barrier"); }

  template <Writable T>
  void broadcast(T&& data, int root = 0) const
  {
    const auto e = elements_of(data);
    check(MPI_Bcast_c(e.address, e.count, e.type, root, handle_), "MPI_Bcast");
  }

  // The reduced value at the root; elsewhere a copy of one's own.
  template <Single T, Reduction R>
  T reduce(const T& value, const R& operation, int root = 0) const
  {
    T result = value;
    const auto e = elements_of(value);
    check(MPI_Reduce_c(e.address, &result, e.count, e.type, detail::handle_of(operation), root, handle_), "MPI_Reduce");
    return result;
  }

  // Element by element; `out`, as long as `in`, is written at the root only.
  template <Range In, Writable Out, Reduction R>
  void reduce(const In& in, Out&& out, const R& operation, int root = 0) const
  {
    const auto i = elements_of(in);
    const auto o = elements_of(out);
    if (rank() == root) detail::require_size(o.count, i.count, "Comm::reduce");
    check(MPI_Reduce_c(i.address, o.address, i.count, i.type, detail::handle_of(operation), root, handle_), "MPI_Reduce");
  }

  template <Single T, Reduction R>
  [[nodiscard]] T all_reduce(const T& value, const R& operation) const
  {
    T result = value;
    const auto e = elements_of(value);
    check(MPI_Allreduce_c(e.address, &result, e.count, e.type, detail::handle_of(operation), handle_), "MPI_Allreduce");
    return result;
  }

  // Element by element; `out` is as long as `in`.
  template <Range In, Writable Out, Reduction R>
  void all_reduce(const In& in, Out&& out, const R& operation) const
  {
    const auto i = elements_of(in);
    const auto o = elements_of(out);
    detail::require_size(o.count, i.count, "Comm::all_reduce");
    check(MPI_Allreduce_c(i.address, o.address, i.count, i.type, detail::handle_of(operation), handle_), "MPI_Allreduce");
  }

  // The same, the range being both.
  template <Range T, Reduction R>
    requires Writable<T>
  void all_reduce_in_place(T&& data, const R& operation) const
  {
    const auto e = elements_of(data);
    check(MPI_Allreduce_c(MPI_IN_PLACE, e.address, e.count, e.type, detail::handle_of(operation), handle_), "MPI_Allreduce");
  }

  // The values of ranks 0 to this one, reduced.
  template <Single T, Reduction R>
  [[nodiscard]] T scan(const T& value, const R& operation) const
  {
    T result = value;
    const auto e = elements_of(value);
    check(MPI_Scan_c(e.address, &result, e.count, e.type, detail::handle_of(operation), handle_), "MPI_Scan");
    return result;
  }

  // The values of the ranks below this one, reduced; `first` at rank 0.
  template <Single T, Reduction R>
  [[nodiscard]] T exclusive_scan(const T& value, const R& operation, const T& first) const
  {
    T result = first;
    const auto e = elements_of(value);
    check(MPI_Exscan_c(e.address, &result, e.count, e.type, detail::handle_of(operation), handle_), "MPI_Exscan");
    return rank() == 0 ? first : result;
  }

  // All ranks' data in order of rank at the root (size() times as long as `data`); empty elsewhere.
  template <Sendable T>
  [[nodiscard]] std::vector<value_of<T>> gather(const T& data, int root = 0) const
  {
    const auto e = elements_of(data);
    std::vector<value_of<T>> result(rank() == root ? values_in(e.count, data) * static_cast<std::size_t>(size()) : 0);
    check(MPI_Gather_c(e.address, e.count, e.type, result.data(), e.count, e.type, root, handle_), "MPI_Gather");
    return result;
  }

  // All ranks' data in order of rank, everywhere.
  template <Sendable T>
  [[nodiscard]] std::vector<value_of<T>> all_gather(const T& data) const
  {
    const auto e = elements_of(data);
    std::vector<value_of<T>> result(values_in(e.count, data) * static_cast<std::size_t>(size()));
    check(MPI_Allgather_c(e.address, e.count, e.type, result.data(), e.count, e.type, handle_), "MPI_Allgather");
    return result;
  }

  // Cuts the root's `all` into size() equal parts, in order of rank, and fills `part` with this rank's. `all` is read at
  // the root only, where it is size() times as long as `part`.
  template <Range All, Writable Part>
  void scatter(const All& all, Part&& part, int root = 0) const
  {
    const auto a = elements_of(all);
    const auto p = elements_of(part);
    if (rank() == root) detail::require_size(a.count, p.count * size(), "Comm::scatter");
    check(MPI_Scatter_c(a.address, p.count, p.type, p.address, p.count, p.type, root, handle_), "MPI_Scatter");
  }

  // `data` has size() equal parts, one for each rank; the result has the part that each rank had for this one.
  template <Range T>
  [[nodiscard]] std::vector<value_of<T>> all_to_all(const T& data) const
  {
    const auto e = elements_of(data);
    const std::size_t values = std::ranges::size(data), ranks = static_cast<std::size_t>(size());
    if (values % ranks != 0)
      throw std::invalid_argument("Comm::all_to_all: " + std::to_string(values) + " values can't be cut into " + std::to_string(ranks) + " equal parts");
    const MPI_Count part = e.count / size();
    std::vector<value_of<T>> result(values);
    check(MPI_Alltoall_c(e.address, part, e.type, result.data(), part, e.type, handle_), "MPI_Alltoall");
    return result;
  }

 private:
  Comm(MPI_Comm handle, bool owned) : handle_(handle), owned_(owned) {}

  template <class T>
  static std::size_t values_in(MPI_Count elements, const T&)
  {
    return static_cast<std::size_t>(elements) / elements_per_value<value_of<T>>();
  }

  MPI_Comm handle_ = MPI_COMM_NULL;
  bool owned_ = false;
};

}  // namespace weft
