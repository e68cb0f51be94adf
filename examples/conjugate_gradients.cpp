// Solves A x = b by conjugate gradients, A sparse, symmetric and positive definite in Matrix Market format, b so that x is 1.
//     weftrun -n 4 conjugate_gradients laplacian_16x16.mtx
// Shows, through the C++ face: a product that fetches just those entries of other ranks it needs; dot products by all_reduce.
#include <weft/weft.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

using Vector = std::vector<double>;
class Matrix {
 public:
  // Each rank reads the file and keeps its rows. A is symmetric: whose entries we need, that rank needs ours.
  Matrix(const std::string& name, const weft::Comm& world) : world_(world)
  {
    std::ifstream file(name);
    std::string line;
    if (!std::getline(file, line) || line.find("coordinate real symmetric") == std::string::npos)
      throw std::runtime_error(name + ": no Matrix Market file of a real symmetric sparse matrix");
    while (std::getline(file, line) && line[0] == '%') continue;
    rows_ = std::stoul(line);
    first_ = first_of(world.rank());
    double value;
    for (std::size_t row, column; file >> row >> column >> value;) {
      keep(row - 1, column - 1, value);
      if (row != column) keep(column - 1, row - 1, value);   // only the lower triangle stands in the file
    }
    // from global numbers to places: own rows first, then what the peers send, peer by peer
    std::map<std::size_t, std::size_t> places;
    for (const auto& [rank, peer] : peers_)
      for (const std::size_t c : peer.wanted) places[c] = my_rows() + halo_size_++;
    for (Entry& e : entries_) e = {e.row - first_, places.contains(e.column) ? places[e.column] : e.column - first_, e.value};
  }

  std::size_t my_rows() const { return first_of(world_.rank() + 1) - first_; }

  // The product with x, of which each rank has its own rows.
  Vector operator*(const Vector& x) const
  {
    Vector whole(x);
    whole.resize(my_rows() + halo_size_);
    std::vector<Vector> outgoing;
    std::vector<weft::Request> pending;
    outgoing.reserve(peers_.size());
    for (std::size_t place = my_rows(); const auto& [rank, peer] : peers_) {
      pending.push_back(world_.irecv(std::span(whole).subspan(place, peer.wanted.size()), rank));
      place += peer.wanted.size();
      Vector& out = outgoing.emplace_back();
      for (const std::size_t row : peer.given) out.push_back(x[row - first_]);
      pending.push_back(world_.isend(out, rank));
    }
    weft::wait_all(pending);
    Vector result(my_rows());
    for (const Entry& e : entries_) result[e.row] += e.value * whole[e.column];
    return result;
  }

 private:
  struct Entry { std::size_t row, column; double value; };
  struct Peer { std::set<std::size_t> wanted, given; };   // global numbers: entries it sends us, entries we send it

  std::size_t first_of(int rank) const { return rows_ * static_cast<std::size_t>(rank) / static_cast<std::size_t>(world_.size()); }

  void keep(std::size_t row, std::size_t column, double value)
  {
    if (row < first_ || row >= first_of(world_.rank() + 1)) return;
    entries_.push_back({row, column, value});
    int owner = 0;
    while (first_of(owner + 1) <= column) ++owner;
    if (owner == world_.rank()) return;
    peers_[owner].wanted.insert(column);
    peers_[owner].given.insert(row);
  }

  const weft::Comm& world_;
  std::size_t rows_ = 0, first_ = 0, halo_size_ = 0;
  std::vector<Entry> entries_;
  std::map<int, Peer> peers_;
};

double dot(const Vector& a, const Vector& b, const weft::Comm& world)
{
  return world.all_reduce(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), weft::op::sum);
}

void set_to_sum(Vector& target, const Vector& a, double factor, const Vector& b)
{
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = a[i] + factor * b[i];
}

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto world = weft::Comm::world();
  const Matrix A(argc > 1 ? argv[1] : "laplacian_16x16.mtx", world);
  const Vector b = A * Vector(A.my_rows(), 1.0);
  Vector x(A.my_rows()), residual(b), direction(b);
  double square = dot(residual, residual, world);
  const double goal = 1e-20 * square;
  int iterations = 0;
  for (; square > goal && iterations < 1000; ++iterations) {
    const Vector image = A * direction;
    const double step = square / dot(direction, image, world), before = square;
    set_to_sum(x, x, step, direction);
    set_to_sum(residual, residual, -step, image);
    square = dot(residual, residual, world);
    set_to_sum(direction, residual, square / before, direction);
  }
  set_to_sum(residual, x, -1.0, Vector(x.size(), 1.0));
  const double error = std::sqrt(dot(residual, residual, world));
  if (world.rank() == 0)
    std::printf("%d ranks: %d iterations, residual %.1e, error %.1e\n", world.size(), iterations, std::sqrt(square), error);
}
