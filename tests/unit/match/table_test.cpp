// MatchTable: first in, first out under each key, wildcards as values, no cost for the order of keys.
#include "match/table.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <vector>

namespace weft::match {
namespace {

struct Item {
  MatchTable::Entry entry{};
  int number = 0;
};

TEST(MatchTable, FirstInFirstOutUnderAKey) {
  MatchTable table;
  std::vector<Item> items(10);
  const Key key{4, 1, 7};
  for (int i = 0; i < 10; ++i) {
    items[static_cast<std::size_t>(i)].number = i;
    table.push(key, items[static_cast<std::size_t>(i)].entry, &items[static_cast<std::size_t>(i)]);
  }
  table.remove(items[0].entry);
  table.remove(items[5].entry);
  table.remove(items[9].entry);
  for (const int expected : {1, 2, 3, 4, 6, 7, 8}) {
    MatchTable::Entry* front = table.front(key);
    ASSERT_NE(front, nullptr);
    EXPECT_EQ(static_cast<Item*>(front->item)->number, expected);
    table.remove(*front);
  }
  EXPECT_EQ(table.front(key), nullptr);
}

TEST(MatchTable, KeysAreApart) {
  MatchTable table;
  Item item;
  table.push({4, 1, 7}, item.entry, &item);
  EXPECT_EQ(table.front({4, 1, 8}), nullptr);
  EXPECT_EQ(table.front({4, 2, 7}), nullptr);
  EXPECT_EQ(table.front({5, 1, 7}), nullptr);
  EXPECT_EQ(table.front({4, any_source, 7}), nullptr);
  EXPECT_NE(table.front({4, 1, 7}), nullptr);
}

TEST(MatchTable, AgreesWithAMapUnderARandomLoad) {
  MatchTable table;
  std::map<std::tuple<std::uint64_t, int, int>, std::deque<int>> oracle;
  std::deque<Item> items;
  std::mt19937 random(1);
  for (int step = 0; step < 200'000; ++step) {
    const Key key{random() % 3 * 8, static_cast<int>(random() % 40) - 1, static_cast<int>(random() % 60) - 2};
    auto& queue = oracle[{key.context, key.source, key.tag}];
    MatchTable::Entry* front = table.front(key);
    ASSERT_EQ(front == nullptr, queue.empty());
    if (front != nullptr) {
      ASSERT_EQ(static_cast<Item*>(front->item)->number, queue.front());
    }
    if (random() % 2 == 0) {
      items.push_back({});
      items.back().number = step;
      table.push(key, items.back().entry, &items.back());
      queue.push_back(step);
    } else if (front != nullptr) {
      table.remove(*front);
      queue.pop_front();
    }
  }
}

}  // namespace
}  // namespace weft::match
