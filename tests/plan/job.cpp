// What each collective of the standard has before and must have after; see job.hpp.
#include "job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace weft::plan_test {

using coll::Collective;

namespace {

// Operands: which ranks are inside, and which element of the vector it is. Ordered ones are runs of neighbours.
struct Operand {
  std::uint64_t ranks;        // a bit each
  std::uint32_t element;
  std::uint32_t spoiled;
};

void combine(const std::uint8_t* in, std::uint8_t* inout, bool ordered) {
  Operand a, b;
  std::memcpy(&a, in, sizeof a);
  std::memcpy(&b, inout, sizeof b);
  const bool twice = (a.ranks & b.ranks) != 0, elsewhere = a.element != b.element;
  // in order: all of a below all of b, with no rank between
  const bool disorder = ordered && (a.ranks == 0 || b.ranks == 0 || 64 - __builtin_clzll(a.ranks) != __builtin_ctzll(b.ranks));
  b.ranks |= a.ranks;
  b.spoiled |= a.spoiled | (twice ? 1U : 0U) | (elsewhere ? 2U : 0U) | (disorder ? 4U : 0U);
  std::memcpy(inout, &b, sizeof b);
}

bool is_reduction(Collective c) {
  return c == Collective::reduce || c == Collective::allreduce || c == Collective::reduce_scatter ||
         c == Collective::reduce_scatter_block || c == Collective::scan || c == Collective::exscan;
}

}  // namespace

std::string describe(const Call& c) {
  return fmt::format("{} ranks {} root {} count {}{}{}{}{}", coll::name_of(c.collective), c.ranks, c.root, c.count,
                     c.gaps ? " gaps" : "", c.in_place ? " in place" : "", c.commutative ? "" : " ordered", c.wide ? " wide" : "");
}

Job::Job(const Call& call) : call_(call), members_(static_cast<std::size_t>(call.ranks)) {
  if (is_reduction(call.collective)) {
    receive_type_ = call.gaps ? SimType{16, 40, 8} : SimType{16, 16, 0};
    send_type_ = receive_type_;
  } else {
    send_type_ = call.gaps ? SimType{4, 6, 2} : SimType{4, 4, 0};
    receive_type_ = call.gaps ? SimType{2, 3, 0} : SimType{4, 4, 0};
  }
  for (int rank = 0; rank < call.ranks; ++rank) fill(rank);
}

bool Job::varying() const {
  const Collective c = call_.collective;
  return c == Collective::gatherv || c == Collective::scatterv || c == Collective::allgatherv || c == Collective::alltoallv ||
         c == Collective::alltoallw || c == Collective::reduce_scatter;
}

// Elements of the send type that go from source to target. Symmetric where in place needs it.
std::int64_t Job::elements(int source, int target) const {
  if (!varying()) return call_.count;
  const bool pairs = call_.collective == Collective::alltoallv || call_.collective == Collective::alltoallw;
  if (pairs && call_.in_place) return (source + target) % 4 * call_.count;
  if (pairs) return (source + 2 * target) % 4 * call_.count;
  const int owner = call_.collective == Collective::scatterv || call_.collective == Collective::reduce_scatter ? target : source;
  return (owner * 7 + 2) % 5 * call_.count;
}

Job::Bytes Job::block(int source, int target) const {
  Bytes bytes(static_cast<std::size_t>(elements(source, target) * send_type_.size));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::size_t>(source) * 131 + static_cast<std::size_t>(target) * 29 + i * 7 + i / 256 + 1);
  }
  return bytes;
}

Job::Bytes Job::operand(int first, int last, std::int64_t from, std::int64_t count) const {
  Bytes bytes(static_cast<std::size_t>(count) * sizeof(Operand));
  for (std::int64_t i = 0; i < count; ++i) {
    Operand value{0, static_cast<std::uint32_t>(from + i), 0};
    for (int rank = first; rank <= last; ++rank) value.ranks |= std::uint64_t{1} << rank;
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
  }
  return bytes;
}

void Job::fill(int rank) {
  Member& member = members_[static_cast<std::size_t>(rank)];
  const Collective c = call_.collective;
  if (is_reduction(c)) fill_reduced(rank, member);
  else if (c == Collective::gather || c == Collective::gatherv || c == Collective::scatter || c == Collective::scatterv ||
           c == Collective::broadcast) fill_rooted(rank, member);
  else if (c == Collective::allgather || c == Collective::allgatherv) fill_gathered(rank, member);
  else if (c != Collective::barrier) fill_exchanged(rank, member);
  widen(member);
}

void Job::widen(Member& member) {
  const std::vector<int>* narrow[4] = {&member.send_counts, &member.send_displacements, &member.receive_counts, &member.receive_displacements};
  for (int i = 0; i < 4; ++i) member.wide[i].assign(narrow[i]->begin(), narrow[i]->end());
  for (const SimType& type : member.send_types) member.send_facts.push_back(type.facts());
  for (const SimType& type : member.receive_types) member.receive_facts.push_back(type.facts());
}

// Blocks of v forms stand in descending order with a hole between.
void Job::fill_rooted(int rank, Member& member) {
  const Collective c = call_.collective;
  const bool root = rank == call_.root;
  const std::int64_t scale = send_type_.size / receive_type_.size;
  if (c == Collective::broadcast) {
    // with gaps: other ranks describe the same bytes by another type
    const SimType type = root ? send_type_ : receive_type_;
    member.receive_count = root ? call_.count : call_.count * scale;
    Bytes data = block(call_.root, 0);
    member.expected.push_back(at(type, 0, data));
    if (!root) std::fill(data.begin(), data.end(), std::uint8_t{0x5A});
    member.receive.push_back(at(type, 0, data));
    return;
  }
  const bool gather = c == Collective::gather || c == Collective::gatherv;
  member.in_place = call_.in_place && root;
  const auto place_all = [&](const SimType& type, std::int64_t times, std::vector<int>& counts, std::vector<int>& displacements,
                             std::vector<Block>& blocks, int only) {
    std::int64_t next = 0;
    counts.resize(static_cast<std::size_t>(call_.ranks));
    displacements.resize(static_cast<std::size_t>(call_.ranks));
    for (int i = 0; i < call_.ranks; ++i) {
      const int peer = varying() ? call_.ranks - 1 - i : i;
      const std::int64_t count = (gather ? elements(peer, call_.root) : elements(call_.root, peer)) * times;
      counts[static_cast<std::size_t>(peer)] = static_cast<int>(count);
      displacements[static_cast<std::size_t>(peer)] = static_cast<int>(next);
      Bytes data = gather ? block(peer, call_.root) : block(call_.root, peer);
      if (only >= 0 && peer != only) std::fill(data.begin(), data.end(), std::uint8_t{0x5A});
      blocks.push_back(at(type, next, data));
      next += count + (varying() ? 3 : 0);
    }
  };
  if (gather) {
    member.send_count = elements(rank, call_.root);
    if (!member.in_place) member.send.push_back(at(send_type_, 0, block(rank, call_.root)));
    if (!root) return;
    member.receive_count = call_.count * scale;
    place_all(receive_type_, scale, member.receive_counts, member.receive_displacements, member.expected, -1);
    place_all(receive_type_, scale, member.receive_counts, member.receive_displacements, member.receive, member.in_place ? rank : call_.ranks);
  } else {
    member.receive_count = elements(call_.root, rank) * scale;
    if (!member.in_place) {
      Bytes data = block(call_.root, rank);
      member.expected.push_back(at(receive_type_, 0, data));
      std::fill(data.begin(), data.end(), std::uint8_t{0x5A});
      member.receive.push_back(at(receive_type_, 0, data));
    }
    if (!root) return;
    member.send_count = call_.count;
    place_all(send_type_, 1, member.send_counts, member.send_displacements, member.send, -1);
  }
}

void Job::fill_gathered(int rank, Member& member) {
  const std::int64_t scale = send_type_.size / receive_type_.size;
  member.in_place = call_.in_place;
  member.send_count = elements(rank, 0);
  member.receive_count = call_.count * scale;
  if (!member.in_place) member.send.push_back(at(send_type_, 0, block(rank, 0)));
  std::int64_t next = 0;
  member.receive_counts.resize(static_cast<std::size_t>(call_.ranks));
  member.receive_displacements.resize(static_cast<std::size_t>(call_.ranks));
  for (int i = 0; i < call_.ranks; ++i) {
    const int peer = varying() ? call_.ranks - 1 - i : i;
    const std::int64_t count = elements(peer, 0) * scale;
    member.receive_counts[static_cast<std::size_t>(peer)] = static_cast<int>(count);
    member.receive_displacements[static_cast<std::size_t>(peer)] = static_cast<int>(next);
    Bytes data = block(peer, 0);
    member.expected.push_back(at(receive_type_, next, data));
    if (!(member.in_place && peer == rank)) std::fill(data.begin(), data.end(), std::uint8_t{0x5A});
    member.receive.push_back(at(receive_type_, next, data));
    next += count + (varying() ? 3 : 0);
  }
}

void Job::fill_exchanged(int rank, Member& member) {
  const bool each = call_.collective == Collective::alltoallw;
  const std::int64_t hole = varying() ? 3 : 0;
  member.in_place = call_.in_place;
  member.send_count = call_.count;
  member.receive_count = call_.count * (send_type_.size / receive_type_.size);
  std::int64_t send_next = 0, receive_next = 0;                 // elements; for w bytes
  for (int peer = 0; peer < call_.ranks; ++peer) {
    const SimType send = each && peer % 2 ? SimType{1, 1, 0} : send_type_;
    const SimType receive = each && peer % 3 ? SimType{2, 5, 1} : receive_type_;
    Bytes leaving = block(rank, peer), coming = block(peer, rank);
    const auto send_count = static_cast<std::int64_t>(leaving.size()) / send.size;
    const auto receive_count = static_cast<std::int64_t>(coming.size()) / receive.size;
    member.send_counts.push_back(static_cast<int>(send_count));
    member.receive_counts.push_back(static_cast<int>(receive_count));
    member.send_displacements.push_back(static_cast<int>(send_next));
    member.receive_displacements.push_back(static_cast<int>(receive_next));
    if (each) { member.send_types.push_back(send); member.receive_types.push_back(receive); }
    const std::int64_t send_offset = each ? send_next : send_next * send.extent;
    const std::int64_t receive_offset = each ? receive_next : receive_next * receive.extent;
    if (!member.in_place) member.send.push_back({send_offset, send, leaving});
    member.expected.push_back({receive_offset, receive, coming});
    if (!member.in_place) std::fill(coming.begin(), coming.end(), std::uint8_t{0x5A});
    else coming = leaving;
    member.receive.push_back({receive_offset, receive, coming});
    send_next += each ? send_count * send.extent + 16 : send_count + hole;
    receive_next += each ? receive_count * receive.extent + 16 : receive_count + hole;
  }
}

void Job::fill_reduced(int rank, Member& member) {
  const Collective c = call_.collective;
  const bool scattered = c == Collective::reduce_scatter || c == Collective::reduce_scatter_block;
  std::int64_t count = call_.count, first = 0, own = call_.count;
  if (scattered) {
    count = 0;
    for (int peer = 0; peer < call_.ranks; ++peer) {
      if (peer == rank) { first = count; own = elements(0, peer); }
      member.receive_counts.push_back(static_cast<int>(elements(0, peer)));
      count += elements(0, peer);
    }
  }
  if (c != Collective::reduce_scatter) member.receive_counts.clear();
  member.receive_count = member.send_count = call_.count;
  const bool has_result = c != Collective::reduce || rank == call_.root;
  member.in_place = call_.in_place && has_result;
  const Bytes input = operand(rank, rank, 0, count);
  if (!member.in_place) member.send.push_back(at(receive_type_, 0, input));
  if (!has_result) return;
  Bytes before(static_cast<std::size_t>(own) * sizeof(Operand), 0x5A);
  if (member.in_place) before = input;
  member.receive.push_back(at(receive_type_, 0, before));
  int last = call_.ranks - 1;
  if (c == Collective::scan) last = rank;
  if (c == Collective::exscan) last = rank - 1;
  Bytes after = last < 0 ? before : operand(0, last, first, own);
  member.expected.push_back(at(receive_type_, 0, after));
}

coll::Facts Job::facts(int rank) const {
  const Member& member = members_[static_cast<std::size_t>(rank)];
  coll::Facts facts;
  facts.collective = call_.collective;
  facts.ranks = call_.ranks;
  facts.rank = rank;
  facts.root = call_.root;
  facts.in_place = member.in_place;
  facts.commutative = call_.commutative;
  facts.send_count = member.send_count;
  facts.receive_count = member.receive_count;
  facts.send_type = send_type_.facts();
  const bool root_broadcast = call_.collective == Collective::broadcast && rank == call_.root;
  facts.receive_type = (root_broadcast ? send_type_ : receive_type_).facts();
  const auto integers = [&](const std::vector<int>& narrow, int which) {
    if (narrow.empty()) return coll::Integers();
    return call_.wide ? coll::Integers(member.wide[which].data()) : coll::Integers(narrow.data());
  };
  if (varying()) {
    facts.send_counts = integers(member.send_counts, 0);
    facts.send_displacements = integers(member.send_displacements, 1);
    facts.receive_counts = integers(member.receive_counts, 2);
    facts.receive_displacements = integers(member.receive_displacements, 3);
  }
  if (!member.send_types.empty()) {
    facts.send_types = member.send_facts.data();
    facts.receive_types = member.receive_facts.data();
  }
  return facts;
}

std::string Job::check(coll::Plan plan) {
  const auto build = [](const std::vector<Block>* shapes, const std::vector<Block>& blocks) {
    Buffer buffer;
    std::int64_t end = 0;
    for (const Block& block : *shapes) {
      const std::int64_t count = static_cast<std::int64_t>(block.data.size()) / block.type.size;
      end = std::max(end, block.offset + std::max<std::int64_t>(0, count - 1) * block.type.extent + (count ? block.type.lead + block.type.size : 0));
    }
    buffer.bytes.assign(static_cast<std::size_t>(end), 0xC3);
    for (const Block& block : blocks) put(buffer, block.offset, block.type, block.data);
    return buffer;
  };
  std::vector<SimRank> ranks(members_.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Member& member = members_[i];
    plan(facts(static_cast<int>(i)), ranks[i].schedule);
    ranks[i].send_type = send_type_;
    ranks[i].receive_type = receive_type_;
    if (call_.collective == Collective::broadcast && static_cast<int>(i) == call_.root) ranks[i].receive_type = send_type_;
    ranks[i].send_types = member.send_types;
    ranks[i].receive_types = member.receive_types;
    ranks[i].send = build(&member.send, member.send);
    ranks[i].receive = build(&member.receive, member.receive);
  }
  const bool ordered = !call_.commutative;
  std::string error = simulate(ranks, [ordered](const std::uint8_t* in, std::uint8_t* inout) { combine(in, inout, ordered); });
  for (std::size_t i = 0; i < ranks.size() && error.empty(); ++i) {
    // what is not expected to change must not: in-place input beyond the result is the standard's to spoil
    const Buffer after = build(&members_[i].receive, members_[i].expected);
    for (const Block& block : members_[i].expected) {
      Bytes got;
      get(ranks[i].receive, block.offset, block.type, static_cast<std::int64_t>(block.data.size()) / block.type.size, got);
      if (got != block.data) error = fmt::format("rank {}: wrong data in the block at {}", i, block.offset);
    }
    const bool may_spoil = members_[i].in_place && (call_.collective == Collective::reduce_scatter || call_.collective == Collective::reduce_scatter_block);
    if (error.empty() && !may_spoil && ranks[i].receive.bytes != after.bytes) error = fmt::format("rank {}: bytes changed outside the blocks", i);
  }
  return error;
}

}  // namespace weft::plan_test
