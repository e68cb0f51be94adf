// One collective call on all ranks of a simulated job: facts, buffers before, and the receive buffers the standard asks
// for after. Data is made so that every mistake shows: bytes name their source, target and place; operands of reductions
// carry the ranks they hold, so that a contribution lost, doubled or out of order is seen.
#pragma once

#include <string>
#include <vector>

#include "coll/plan.hpp"
#include "simulator.hpp"

namespace weft::plan_test {

struct Call {
  coll::Collective collective;
  int ranks;
  int root;
  std::int64_t count;          // elements of a block; of v and w forms the unit their counts are made of
  bool gaps;                   // types with gaps and lower bounds; send and receive types differ
  bool in_place;
  bool commutative;
  bool wide = false;           // 64-bit count arrays
};

std::string describe(const Call& call);

class Job {
 public:
  explicit Job(const Call& call);
  coll::Facts facts(int rank) const;
  std::string check(coll::Plan plan);     // runs it; empty when all is right

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Block {
    std::int64_t offset;
    SimType type;
    Bytes data;
  };
  struct Member {
    bool in_place = false;
    std::int64_t send_count = 0, receive_count = 0;
    std::vector<int> send_counts, send_displacements, receive_counts, receive_displacements;
    std::vector<std::int64_t> wide[4];
    std::vector<SimType> send_types, receive_types;
    std::vector<coll::TypeFacts> send_facts, receive_facts;
    std::vector<Block> send, receive, expected;
  };

  void fill(int rank);
  void fill_rooted(int rank, Member& member);
  void fill_gathered(int rank, Member& member);
  void fill_exchanged(int rank, Member& member);
  void fill_reduced(int rank, Member& member);
  void widen(Member& member);

  bool varying() const;
  std::int64_t elements(int source, int target) const;
  Bytes block(int source, int target) const;
  Bytes operand(int first, int last, std::int64_t from, std::int64_t count) const;
  Block at(const SimType& type, std::int64_t displacement, Bytes data) const { return {displacement * type.extent, type, std::move(data)}; }

  Call call_;
  SimType send_type_, receive_type_;
  std::vector<Member> members_;
};

}  // namespace weft::plan_test
