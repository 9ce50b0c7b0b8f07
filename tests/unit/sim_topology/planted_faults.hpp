// A tree whose cables can be pulled and plugged, and the mistakes that are planted in it.
//
// Left out is what nobody can see in a fabric: two hosts that changed places, a cable that moved
// between ports of the same two switches, which side is wrong where the other has no like.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/pgft.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {

class Cabling {
 public:
  static constexpr std::uint32_t kSparePorts = 4;  // of each switch
  static constexpr LinkSpec kUsual{100'000'000'000, nanoseconds(150), 4};

  explicit Cabling(const FabricGraph& graph) : graph_(graph), links_(graph.links()) {
    gone_.assign(graph.devices().size(), false);
    touched_ = gone_;
    for (const Device& device : graph.devices()) {
      const std::size_t spare = device.kind == DeviceKind::switch_chip ? kSparePorts : 0;
      used_.emplace_back(device.ports.size() + spare, false);
      used_.back()[0] = true;
    }
    for (const Link& link : links_) {
      for (const LinkEnd& end : link.ends) used_[end.device][end.port] = true;
    }
  }

  const FabricGraph& original() const { return graph_; }
  const std::vector<Link>& links() const { return links_; }

  void pull(std::size_t link) {
    for (const LinkEnd& end : links_[link].ends) {
      used_[end.device][end.port] = false;
      touched_[end.device] = true;
    }
    links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(link));
  }
  void plug(LinkEnd a, LinkEnd b) {
    used_[a.device][a.port] = used_[b.device][b.port] = true;
    touched_[a.device] = touched_[b.device] = true;
    links_.push_back(Link{{a, b}, kUsual.bits_per_second, kUsual.latency, kUsual.lanes});
  }
  void slow_down(std::size_t link) {
    for (const LinkEnd& end : links_[link].ends) touched_[end.device] = true;
    links_[link].bits_per_second /= 4;
    links_[link].lanes = 1;
  }
  // A port that no cable ever had.
  LinkEnd spare(std::uint32_t device) const {
    const auto ports = static_cast<std::uint32_t>(used_[device].size());
    for (std::uint32_t p = ports - kSparePorts; p < ports; ++p) {
      if (!used_[device][p]) return {device, p};
    }
    return {device, 0};
  }
  // With its cables, and what hangs on nothing else: switched off.
  void remove(std::uint32_t device) {
    std::vector<std::uint32_t> below;
    for (std::size_t i = links_.size(); i-- > 0;) {
      const Link& link = links_[i];
      if (link.ends[0].device != device && link.ends[1].device != device) continue;
      const std::uint32_t far = link.end_away_from(device).device;
      if (graph_.device(far).kind == DeviceKind::adapter) below.push_back(far);
      pull(i);
    }
    gone_[device] = true;
    for (const std::uint32_t adapter : below) gone_[adapter] = true;
  }
  std::uint32_t add_switch() {
    used_.emplace_back(13, false);
    used_.back()[0] = true;
    gone_.push_back(false);
    touched_.push_back(true);
    return static_cast<std::uint32_t>(used_.size() - 1);
  }

  // Whether a mistake has been made there.
  bool is_touched(std::uint32_t device) const { return touched_[device]; }

  // As it is now; switches keep their GUIDs and names, numbers may change.
  FabricGraph build() const {
    FabricGraph graph;
    std::vector<std::uint32_t> number(used_.size(), kNone);
    std::vector<std::uint32_t> node(graph_.host_count(), kNone);
    for (std::uint32_t d = 0; d < used_.size(); ++d) {
      if (gone_[d]) continue;
      const auto ports = static_cast<std::uint32_t>(used_[d].size() - 1);
      if (d >= graph_.devices().size()) {
        number[d] =
            graph.add_device(Device{DeviceKind::switch_chip, guid(d), "extra", "", {}, {}}, ports);
        continue;
      }
      Device device = graph_.device(d);
      device.ports.clear();
      if (device.kind == DeviceKind::adapter) {
        std::uint32_t& its = node[device.host.value];
        if (its == kNone) its = graph.add_host(graph_.host(device.host).name).value;
        device.host = {its};
      }
      number[d] = graph.add_device(device, ports);
    }
    for (const Link& link : links_) {
      LinkEnd a = link.ends[0];
      LinkEnd b = link.ends[1];
      a.device = number[a.device];
      b.device = number[b.device];
      graph.connect(a, b, {link.bits_per_second, link.latency, link.lanes});
    }
    return graph;
  }

  std::uint64_t guid(std::uint32_t device) const {
    return device < graph_.devices().size() ? graph_.device(device).guid : 0x3'0000 + device;
  }

 private:
  FabricGraph graph_;
  std::vector<Link> links_;
  std::vector<std::vector<bool>> used_;  // by device and port
  std::vector<bool> gone_;
  std::vector<bool> touched_;
};

// What a finding has to name: a GUID and a port, or port 0 for the device alone.
struct Named {
  std::uint64_t guid = 0;
  std::uint32_t port = 0;
};

struct Planted {
  std::string what;          // empty: not possible in this tree
  std::vector<Named> names;  // all of them by one finding
};

enum class Mistake : std::uint8_t {
  pulled,          // a cable between switches
  slow,            // one lane of four
  swapped,         // two cables between switches, at one end
  moved,           // a cable to another upper switch
  same_level,      // an additional cable between two switches of a level
  joined,          // two cables pulled, their lower ends joined
  jumped,          // an additional cable from level 1 to level 3
  host_pulled,     // with one adapter: no cable; with several: one path
  host_off,        // not in the fabric
  host_high,       // on a switch of level 2
  host_elsewhere,  // on another switch of level 1
  switch_extra,    // on a switch of any level, by one cable
  switch_off,      // of a middle level
  bundle_pulled,   // half of a switch's cables up and one more
  count,
};

class Planter {
 public:
  Planter(const PgftSpec& spec, Cabling& cabling, Random& random)
      : spec_(spec), cabling_(cabling), random_(random), levels_() {
    Pgft tree;
    if (Pgft::create(spec, tree).is_ok()) levels_ = pgft_levels(tree);
  }

  Planted plant(Mistake mistake) {
    using Plant = Planted (Planter::*)();
    constexpr std::array<Plant, static_cast<std::size_t>(Mistake::count)> kPlants = {
        &Planter::pulled,     &Planter::slow,           &Planter::swapped,
        &Planter::moved,      &Planter::same_level,     &Planter::joined,
        &Planter::jumped,     &Planter::host_pulled,    &Planter::host_off,
        &Planter::host_high,  &Planter::host_elsewhere, &Planter::switch_extra,
        &Planter::switch_off, &Planter::bundle_pulled};
    return (this->*kPlants[static_cast<std::size_t>(mistake)])();
  }

 private:
  static constexpr int kTries = 200;

  // Added switches have none.
  std::uint32_t level(std::uint32_t device) const {
    return device < levels_.size() ? levels_[device] : kNone;
  }
  Named name(LinkEnd end) const { return {cabling_.guid(end.device), end.port}; }
  std::uint32_t top() const { return static_cast<std::uint32_t>(spec_.down.size()); }

  // The end of a link at the lower device; at the upper one.
  LinkEnd low(std::size_t i) const {
    const auto& ends = cabling_.links()[i].ends;
    return level(ends[0].device) < level(ends[1].device) ? ends[0] : ends[1];
  }
  LinkEnd high(std::size_t i) const { return cabling_.links()[i].end_away_from(low(i).device); }

  // Mistakes at one switch of level 1 can hide each other: a cable too few and one too many.
  bool is_fresh(std::uint32_t device) const {
    return level(device) != 1 || !cabling_.is_touched(device);
  }

  // A cable whose lower end is on one of these levels.
  std::size_t cable(std::uint32_t from, std::uint32_t to) {
    while (true) {
      const std::size_t i = random_.below(cabling_.links().size());
      const LinkEnd end = low(i);
      if (level(end.device) >= from && level(end.device) <= to && is_fresh(end.device) &&
          is_fresh(high(i).device))
        return i;
    }
  }
  std::uint32_t device(std::uint32_t from, std::uint32_t to) {
    while (true) {
      const auto d = static_cast<std::uint32_t>(random_.below(levels_.size()));
      if (level(d) >= from && level(d) <= to && is_fresh(d)) return d;
    }
  }

  bool joined_already(std::uint32_t a, std::uint32_t b) const {
    return std::any_of(cabling_.links().begin(), cabling_.links().end(), [&](const Link& link) {
      return (link.ends[0].device == a && link.ends[1].device == b) ||
             (link.ends[0].device == b && link.ends[1].device == a);
    });
  }

  // Whether a group can be told by majority after a cable went from it to another group.
  bool is_clear(std::uint32_t lower_level) const { return spec_.up[lower_level] >= 3; }

  Planted pulled() {
    const std::size_t i = cable(1, top() - 1);
    const Planted planted{"a cable pulled", {name(low(i)), name(high(i))}};
    cabling_.pull(i);
    return planted;
  }

  Planted slow() {
    const std::size_t i = cable(0, top() - 1);
    cabling_.slow_down(i);
    return {"a slow cable", {name(low(i)), name(high(i))}};
  }

  Planted swapped() {
    for (int n = 0; n < kTries; ++n) {
      const std::size_t i = cable(1, top() - 1);
      const std::size_t j = cable(1, top() - 1);
      const LinkEnd a = low(i), b = high(i), c = low(j), d = high(j);
      if (level(a.device) != level(c.device) || a.device == c.device || b.device == d.device)
        continue;
      const bool across = !joined_already(a.device, d.device);
      if (across && !is_clear(level(a.device))) continue;
      cabling_.pull(std::max(i, j));
      cabling_.pull(std::min(i, j));
      cabling_.plug(a, d);
      cabling_.plug(c, b);
      return {"two cables swapped", {name(a), name(b), name(c), name(d)}};
    }
    return {};
  }

  Planted moved() {
    for (int n = 0; n < kTries; ++n) {
      const std::size_t i = cable(1, top() - 1);
      const LinkEnd a = low(i), b = high(i);
      const std::uint32_t to = device(level(b.device), level(b.device));
      if (to == b.device || !is_clear(level(a.device))) continue;
      const LinkEnd d = cabling_.spare(to);
      cabling_.pull(i);
      cabling_.plug(a, d);
      return {"a cable moved", {name(a), name(b), name(d)}};
    }
    return {};
  }

  Planted same_level() {
    for (int n = 0; n < kTries; ++n) {
      const std::uint32_t a = device(1, top());
      const std::uint32_t b = device(level(a), level(a));
      if (a == b) continue;
      const LinkEnd from = cabling_.spare(a), to = cabling_.spare(b);
      cabling_.plug(from, to);
      return {"a cable within a level", {name(from), name(to)}};
    }
    return {};
  }

  Planted joined() {
    for (int n = 0; n < kTries; ++n) {
      const std::size_t i = cable(1, top() - 1);
      const std::size_t j = cable(1, top() - 1);
      const LinkEnd a = low(i), b = high(i), c = low(j), d = high(j);
      if (level(a.device) != level(c.device) || a.device == c.device || b.device == d.device)
        continue;
      cabling_.pull(std::max(i, j));
      cabling_.pull(std::min(i, j));
      cabling_.plug(a, c);
      return {"two switches joined instead of to the level above",
              {name(a), name(b), name(c), name(d)}};
    }
    return {};
  }

  Planted jumped() {
    if (top() < 3) return {};
    const LinkEnd from = cabling_.spare(device(1, 1)), to = cabling_.spare(device(3, 3));
    cabling_.plug(from, to);
    return {"a cable past a level", {name(from), name(to)}};
  }

  Planted host_pulled() {
    const std::size_t i = cable(0, 0);
    const Planted planted{"a host's cable pulled", {name(low(i)), name(high(i))}};
    cabling_.pull(i);
    return planted;
  }

  Planted host_off() {
    if (spec_.up[0] > 1) return {};
    const std::size_t i = cable(0, 0);
    const Planted planted{"a host off", {name(high(i))}};
    cabling_.remove(low(i).device);
    return planted;
  }

  Planted host_high() {
    const std::size_t i = cable(0, 0);
    const LinkEnd host = low(i), home = high(i);
    const LinkEnd to = cabling_.spare(device(2, 2));
    cabling_.pull(i);
    cabling_.plug(host, to);
    return {"a host on level 2", {name(host), name(to), name(home)}};
  }

  Planted host_elsewhere() {
    const bool few = top() == 2 && spec_.down[1] == 3;  // no two would be alike
    if (spec_.up[0] > 1 || few) return {};
    for (int n = 0; n < kTries; ++n) {
      const std::size_t i = cable(0, 0);
      const LinkEnd host = low(i), home = high(i);
      const std::uint32_t other = device(1, 1);
      if (other == home.device) continue;
      const LinkEnd to = cabling_.spare(other);
      cabling_.pull(i);
      cabling_.plug(host, to);
      return {"a host on another switch", {name(host), name(to), name(home)}};
    }
    return {};
  }

  Planted switch_extra() {
    const std::uint32_t extra = cabling_.add_switch();
    const LinkEnd to = cabling_.spare(device(1, top()));
    cabling_.plug({extra, 1}, to);
    return {"an extra switch at level " + std::to_string(level(to.device)),
            {{cabling_.guid(extra), 0}}};
  }

  Planted switch_off() {
    if (top() < 3 || spec_.up[1] < 3) return {};
    const std::uint32_t off = device(2, 2);
    Planted planted{"a switch off", {}};
    for (std::size_t i = 0; i < cabling_.links().size(); ++i) {
      if (low(i).device == off) planted.names.push_back(name(high(i)));
      if (high(i).device == off) planted.names.push_back(name(low(i)));
    }
    // Where several cables led to it, their ports are not told apart.
    for (Named& named : planted.names) named.port = 0;
    cabling_.remove(off);
    return planted;
  }

  Planted bundle_pulled() {
    const std::uint32_t s = device(1, top() - 1);
    std::vector<std::size_t> up;
    for (std::size_t i = 0; i < cabling_.links().size(); ++i) {
      if (low(i).device == s) up.push_back(i);
    }
    if (up.size() < 4) return {};
    const std::size_t pulls = up.size() / 2 + 1;
    for (std::size_t n = 0; n < pulls; ++n) {
      cabling_.pull(up.back());
      up.pop_back();
    }
    return {"half a bundle pulled", {{cabling_.guid(s), 0}}};
  }

  const PgftSpec& spec_;
  Cabling& cabling_;
  Random& random_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace holdfast::sim
