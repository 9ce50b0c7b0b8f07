// Views: a join semilattice, whatever arrives in whatever order, against a naive map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/collect.hpp"
#include "stack/view/view.hpp"

namespace holdfast {
namespace {

using Statement = std::pair<ProcessId, Record>;

std::vector<Statement> statements(Random& random, std::size_t count) {
  std::vector<Statement> made;
  for (std::size_t i = 0; i < count; ++i) {
    const auto state = static_cast<MemberState>(random.below(5));
    made.push_back({ProcessId{static_cast<std::uint32_t>(random.below(20))},
                    Record{{static_cast<std::uint32_t>(random.below(4))}, state}});
  }
  return made;
}

View view_of(const std::vector<Statement>& said) {
  View view;
  for (const auto& [process, record] : said) view.merge(process, record);
  return view;
}

std::map<std::uint32_t, std::pair<std::uint32_t, int>> records(const View& view) {
  std::map<std::uint32_t, std::pair<std::uint32_t, int>> all;
  for (const View::Exception& exception : view.exceptions()) {
    all[exception.process.value] = {exception.record.incarnation.value,
                                    static_cast<int>(exception.record.state)};
  }
  return all;
}

TEST(View, KeepsTheGreatestOfEachProcess) {
  Random random(1, 1, 0);
  for (int round = 0; round < 200; ++round) {
    const std::vector<Statement> said = statements(random, 60);
    // Everybody starts as incarnation 0, alive (1); joining (0) of incarnation 0 lies below it.
    std::map<std::uint32_t, std::pair<std::uint32_t, int>> greatest;
    for (const auto& [process, record] : said) {
      const std::pair claim{record.incarnation.value, static_cast<int>(record.state)};
      if (claim <= std::pair{0u, 1}) continue;
      greatest[process.value] = std::max(greatest[process.value], claim);
    }
    const View view = view_of(said);
    EXPECT_EQ(records(view), greatest);
    for (std::uint32_t i = 0; i < 21; ++i) {
      const auto found = greatest.find(i);
      const auto [incarnation, state] = found == greatest.end() ? std::pair{0u, 1} : found->second;
      EXPECT_EQ(view.of({i}), (Record{{incarnation}, static_cast<MemberState>(state)}));
      EXPECT_EQ(view.live({i}), state < 3);
    }
  }
}

TEST(View, MergingIsCommutativeAssociativeAndIdempotent) {
  Random random(2, 1, 0);
  for (int round = 0; round < 200; ++round) {
    std::vector<Statement> said = statements(random, 40);
    const View once = view_of(said);
    for (std::size_t i = said.size() - 1; i > 0; --i) {
      std::swap(said[i], said[random.below(i + 1)]);
    }
    const View shuffled = view_of(said);
    EXPECT_EQ(records(shuffled), records(once));
    EXPECT_EQ(shuffled.digest(), once.digest());
    // In two heaps, each merged by itself first, then one into the other.
    const auto middle = said.begin() + static_cast<std::ptrdiff_t>(said.size() / 2);
    View left = view_of({said.begin(), middle});
    const View right = view_of({middle, said.end()});
    for (const View::Exception& e : right.exceptions()) {
      left.merge(e.process, e.record);
    }
    EXPECT_EQ(records(left), records(once));
    EXPECT_EQ(left.digest(), once.digest());
    View again = once;
    for (const auto& [process, record] : said) EXPECT_FALSE(again.merge(process, record));
    EXPECT_EQ(again, once);
  }
}

// The example of clause 3.5, worked out from its definition by tests/docs/protocol_test.py.
TEST(View, DigestIsThatOfTheSpecification) {
  View view;
  EXPECT_EQ(view.digest(), 0u);
  view.merge({1}, {{0}, MemberState::failed});
  EXPECT_EQ(view.digest(), 0x86d6fd953217ae03u);
}

TEST(View, DigestsOfDifferentViewsDiffer) {
  std::vector<std::uint64_t> digests{View().digest()};
  EXPECT_EQ(digests[0], 0u);
  for (std::uint32_t process = 0; process < 50; ++process) {
    for (std::uint32_t incarnation = 0; incarnation < 10; ++incarnation) {
      for (int state = 0; state < 5; ++state) {
        View view;
        if (view.merge({process}, {{incarnation}, static_cast<MemberState>(state)})) {
          digests.push_back(view.digest());
        }
      }
    }
  }
  EXPECT_EQ(digests.size(), 1u + 50 * (3 + 9 * 5));
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
}

TEST(View, NumbersItsChanges) {
  View view;
  EXPECT_EQ(view.sequence(), 0u);
  EXPECT_TRUE(view.merge({3}, {{0}, MemberState::failed}));
  EXPECT_TRUE(view.merge({1}, {{1}, MemberState::alive}));
  EXPECT_FALSE(view.merge({3}, {{0}, MemberState::suspected}));
  EXPECT_TRUE(view.merge({3}, {{1}, MemberState::joining}));
  EXPECT_EQ(view.sequence(), 3u);
  ASSERT_EQ(view.exceptions().size(), 2u);
  EXPECT_EQ(view.exceptions()[0].process, ProcessId{1});
  EXPECT_EQ(view.exceptions()[0].changed, 2u);
  EXPECT_EQ(view.exceptions()[1].changed, 3u);
}

// Whatever views hear, shared or not, each says what it would say alone; and equal histories are
// stored once.
TEST(ViewStore, SharingChangesNothing) {
  Random random(5, 1, 0);
  ViewStore store;
  {
    std::vector<View> shared(10), alone(10);
    for (int round = 0; round < 2000; ++round) {
      // Most hear the same in the same order.
      const std::vector<Statement> said = statements(random, 1 + random.below(3));
      const std::size_t odd = random.below(shared.size());
      for (std::size_t i = 0; i < shared.size(); ++i) {
        if (i == odd && random.below(4) == 0) continue;
        for (const auto& [process, record] : said) {
          EXPECT_EQ(shared[i].merge(process, record), alone[i].merge(process, record));
        }
        store.share(shared[i]);
        ASSERT_EQ(shared[i], alone[i]);
      }
      std::set<std::vector<std::uint64_t>> different;
      for (const View& view : alone) {
        std::vector<std::uint64_t> key;
        for (const View::Exception& e : view.exceptions()) {
          key.push_back(e.process.value);
          key.push_back(std::uint64_t{e.record.incarnation.value} << 8 |
                        static_cast<std::uint64_t>(e.record.state));
          key.push_back(e.changed);
        }
        if (!key.empty()) different.insert(key);
      }
      ASSERT_EQ(store.size(), different.size());
      if (random.below(50) == 0) shared[odd] = alone[odd] = View();  // a new life
    }
  }
  EXPECT_EQ(store.size(), 0u);
}

// The same for what is merged through the store, where later views only follow the first.
TEST(ViewStore, FollowingChangesNothing) {
  Random random(6, 1, 0);
  ViewStore store;
  std::vector<View> followers(10), alone(10);
  for (int round = 0; round < 2000; ++round) {
    const auto first = static_cast<std::uint32_t>(random.below(12));
    const auto count = static_cast<std::uint32_t>(1 + random.below(4));
    const Record record{Incarnation{static_cast<std::uint32_t>(random.below(3))},
                        random.below(2) == 0 ? MemberState::alive : MemberState::failed};
    const std::size_t odd = random.below(followers.size());
    for (std::size_t i = 0; i < followers.size(); ++i) {
      if (i == odd && random.below(4) == 0) continue;  // does not hear it
      bool covered = true;
      for (std::uint32_t j = 0; j < count; ++j) {
        const std::span<const View::Exception> of_one = alone[i].exceptions({first + j}, 1);
        covered = covered && !of_one.empty() && of_one.front().record >= record;
      }
      EXPECT_EQ(alone[i].covers({first}, count, record), covered);
      for (std::uint32_t j = 0; j < count; ++j) alone[i].merge({first + j}, record);
      store.merge(followers[i], {first}, count, record);
      ASSERT_EQ(followers[i], alone[i]) << "view " << i << ", round " << round;
      if (random.below(3) == 0) store.share(followers[i]);
    }
    if (random.below(50) == 0) followers[odd] = alone[odd] = View();  // a new life
  }
}

TEST(View, ExceptionsOfSomeProcesses) {
  View view;
  EXPECT_TRUE(view.exceptions({0}, 9).empty());
  EXPECT_FALSE(view.covers({0}, 1, {}));
  for (const std::uint32_t i : {2u, 3u, 7u}) view.merge({i}, {{0}, MemberState::failed});
  EXPECT_EQ(view.exceptions({0}, 2).size(), 0u);
  EXPECT_EQ(view.exceptions({0}, 3).size(), 1u);
  EXPECT_EQ(view.exceptions({3}, 4).size(), 1u);
  EXPECT_EQ(view.exceptions({3}, 5).size(), 2u);
  EXPECT_EQ(view.exceptions({8}, 5).size(), 0u);
  EXPECT_TRUE(view.covers({2}, 2, {{0}, MemberState::failed}));
  EXPECT_FALSE(view.covers({2}, 3, {{0}, MemberState::failed}));
  EXPECT_FALSE(view.covers({2}, 2, {{1}, MemberState::alive}));
}

// Reading a view in parts must give all of it, each part as full as it can be.
TEST(Collect, PartsMakeTheWhole) {
  Random random(3, 1, 0);
  for (int round = 0; round < 300; ++round) {
    const View view = view_of(statements(random, random.below(80)));
    std::array<holdfast::Run, 3> scratch;
    View again;
    std::uint64_t frames = 0;
    ProcessId from{0};
    for (bool complete = false; !complete; ++frames) {
      ASSERT_LT(frames, 20u);
      const Collected part = collect_from(view, from, scratch);
      EXPECT_TRUE(part.complete || part.runs.size() == scratch.size());
      for (const holdfast::Run& run : part.runs) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          again.merge({run.first.value + i}, {run.incarnation, run.state});
        }
      }
      complete = part.complete;
      from = part.next;
    }
    EXPECT_EQ(records(again), records(view));
    EXPECT_EQ(again.digest(), view.digest());
    EXPECT_EQ(difference_frames(view), 1u);  // 20 processes always fit into one real frame
  }
}

TEST(Collect, NeighboursThatAreAlikeShareARun) {
  View view;
  for (std::uint32_t i = 100; i < 200; ++i) view.merge({i}, {{0}, MemberState::failed});
  view.merge({150}, {{1}, MemberState::alive});
  std::array<holdfast::Run, 3> scratch;
  const Collected all = collect_from(view, {0}, scratch);
  ASSERT_EQ(all.runs.size(), 3u);
  EXPECT_EQ(all.runs[0], (holdfast::Run{{100}, {0}, 50, MemberState::failed}));
  EXPECT_EQ(all.runs[1], (holdfast::Run{{150}, {1}, 1, MemberState::alive}));
  EXPECT_EQ(all.runs[2], (holdfast::Run{{151}, {0}, 49, MemberState::failed}));
  EXPECT_TRUE(all.complete);
}

TEST(Collect, DifferenceFramesCountsFramesOf35Runs) {
  View view;
  EXPECT_EQ(difference_frames(view), 1u);
  for (std::uint32_t i = 0; i < 70; ++i) view.merge({2 * i}, {{0}, MemberState::failed});
  EXPECT_EQ(difference_frames(view), 2u);
  view.merge({1000}, {{0}, MemberState::failed});
  EXPECT_EQ(difference_frames(view), 3u);
}

TEST(Collect, ChangesComeInTheirOrderAndUptoNamesTheLastCovered) {
  View view;
  for (const std::uint32_t i : {8u, 2u, 5u, 11u}) view.merge({i}, {{0}, MemberState::failed});
  view.merge({2}, {{1}, MemberState::alive});  // change 5 supersedes change 2
  std::array<holdfast::Run, 2> scratch;
  const CollectedChanges first = collect_changes(view, 0, view.sequence(), scratch);
  ASSERT_EQ(first.runs.size(), 2u);
  EXPECT_EQ(first.runs[0].first, ProcessId{8});
  EXPECT_EQ(first.runs[1].first, ProcessId{5});
  EXPECT_EQ(first.upto, 3u);
  const CollectedChanges second = collect_changes(view, first.upto, view.sequence(), scratch);
  ASSERT_EQ(second.runs.size(), 2u);
  EXPECT_EQ(second.runs[0].first, ProcessId{11});
  EXPECT_EQ(second.runs[1], (holdfast::Run{{2}, {1}, 1, MemberState::alive}));
  EXPECT_EQ(second.upto, 5u);
  const CollectedChanges limited = collect_changes(view, 0, 2, scratch);
  ASSERT_EQ(limited.runs.size(), 1u);  // change 2 is superseded, 3 is beyond the limit
  EXPECT_EQ(limited.upto, 2u);
}

// Who tells many asks the same again and again, and then something else: of a view in which later
// changes take the place of earlier ones, or of another view.
TEST(Collect, ForManyGivesWhatCollectingAnewGives) {
  Random random(8, 1, 0);
  std::array<View, 2> views;
  ChangesForMany told;
  std::size_t of = 0;
  for (std::uint32_t round = 1; round < 5000; ++round) {
    if (random.below(8) == 0 || round < 10) {
      const ProcessId process{static_cast<std::uint32_t>(random.below(4))};
      views[of].merge(process, {{round}, MemberState::failed});
    }
    if (random.below(50) == 0) {
      of = 1 - of;
      told.forget();
    }
    const View& view = views[of];
    if (view.sequence() < 3) continue;
    // Few choices, so that many come twice.
    const std::uint64_t after = view.sequence() - 1 - random.below(3);
    const std::uint64_t limit = random.below(2) == 0 ? view.sequence() : after + 1;
    std::array<holdfast::Run, 2> scratch;
    const std::size_t room = 1 + random.below(2);
    const CollectedChanges anew =
        collect_changes(view, after, limit, std::span(scratch).first(room));
    const CollectedChanges again = told.collect(view, after, limit, room);
    ASSERT_EQ(again.upto, anew.upto);
    ASSERT_TRUE(std::ranges::equal(again.runs, anew.runs));
  }
}

}  // namespace
}  // namespace holdfast
