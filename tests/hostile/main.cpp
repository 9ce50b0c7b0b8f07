// hostile --fabric udp|tcp|shm [--frames N] [--seed S]: N hostile frames against one process of a
// job whose stack and rails are the real ones, in three states: it lives; it has come back, like
// two of its neighbours; it is just coming back and knows nobody. After each batch its state must
// be what it was, and every frame must have been counted under one of the reasons for which frames
// are dropped; afterwards the job must be what it was. Exit status 1 and a sentence if not.
#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/hostile/arsenal.hpp"
#include "tests/swarm/arguments.hpp"

namespace holdfast::hostile {
namespace {

constexpr ProcessId kVictim{2}, kNeighbour{3}, kOther{5};
constexpr std::uint64_t kBatch = 40;  // fewer than any rail holds
// Shared memory looks where a lane that it watches should be only when nothing has come for a
// while; what is sent before that is lost with the lane.
constexpr int kTurnsToNotice = 100;

struct Arguments {
  std::string fabric = "udp";
  std::uint64_t frames = 50'000;
  std::uint64_t seed = 1;
};

// Frames by the reason for which they were dropped.
struct Counted {
  DropCounts drops;
  std::uint64_t too_long = 0;

  std::uint64_t sum() const {
    return drops.malformed + drops.other_version + drops.unverified + drops.misdelivered +
           drops.outdated + too_long;
  }
};

class Attack {
 public:
  Attack(Rails& rails, const Arguments& arguments)
      : rails_(rails),
        random_(arguments.seed, 0x686f7374, 0),
        key_(drawn_key()),
        job_(rails, key_),
        arsenal_(job_, kVictim, key_, random_) {}

  bool run(std::uint64_t frames) {
    for (std::uint32_t i = 0; i < kProcesses; ++i) {
      if (!job_.start({i})) return false;
    }
    job_.run(seconds(4));
    if (!attacked("while it lives", frames / 3)) return false;
    for (const ProcessId process : {kVictim, kNeighbour, kOther}) {
      if (!job_.restart(process)) return false;
      job_.run(seconds(4));
    }
    if (!attacked("after it came back", frames / 3)) return false;
    if (!job_.restart(kVictim)) return false;
    job_.turn(kVictim);
    if (!attacked("while it joins", frames - 2 * (frames / 3))) return false;
    job_.kill(kOther);
    job_.run(seconds(4));
    return job_.agrees() || failed("a death after it is not known to all");
  }

  std::string outcome() const {
    const DropCounts& drops = total_.drops;
    return std::to_string(total_.sum()) +
           " hostile frames, none taken: " + std::to_string(drops.malformed) + " malformed, " +
           std::to_string(drops.other_version) + " of another version, " +
           std::to_string(drops.misdelivered) + " misdelivered, " +
           std::to_string(drops.unverified) + " unverified, " + std::to_string(drops.outdated) +
           " outdated, " + std::to_string(total_.too_long) + " too long";
  }

 private:
  JobKey drawn_key() {
    JobKey key;
    for (std::byte& byte : key.bytes) byte = static_cast<std::byte>(random_.next());
    return key;
  }

  bool failed(const std::string& what) const {
    std::fprintf(stderr, "hostile: %s\n", what.c_str());
    return false;
  }

  Counted counted() const {
    const Member& victim = job_[kVictim];
    return {victim.engine->drops(), rails_.refused(victim.tap->rail())};
  }

  // The job goes on as if nothing had been, and the one who was joining joins.
  bool attacked(const char* when, std::uint64_t frames) {
    if (!strike(when, frames)) return false;
    job_.run(seconds(4));
    return job_.agrees() || failed(std::string("the job does not agree, attacked ") + when);
  }

  bool strike(const char* when, std::uint64_t frames) {
    if (!job_.agrees() && !job_[kVictim].engine->membership().joining()) {
      return failed(std::string("the job does not agree, ") + when);
    }
    job_[kVictim].tap->keeping = false;
    job_.turn(kVictim);  // what is still on its way
    const auto attacker = rails_.attacker(kVictim);
    const Counted before = counted();
    state_ = job_[kVictim].engine->membership().state_hash();
    std::uint64_t sent = 0;
    for (std::uint64_t batch = 0; sent < frames; ++batch) {
      const auto weapon = static_cast<Weapon>(batch % kWeapons);
      if (batch % 5 == 0) {
        attacker->vandalise(random_);
        for (int turns = 0; turns < kTurnsToNotice; ++turns) job_.turn(kVictim);
      }
      const std::uint64_t count = std::min(kBatch, frames - sent);
      if (!volley(*attacker, weapon, count, when)) return false;
      sent += count;
    }
    add(before, counted());
    job_[kVictim].tap->keeping = true;
    return true;
  }

  bool volley(Attacker& attacker, Weapon weapon, std::uint64_t count, const char* when) {
    const Engine& engine = *job_[kVictim].engine;
    const std::string what =
        std::string(kWeaponNames[static_cast<std::size_t>(weapon)]) + " frames, " + when;
    const std::size_t changes = engine.changes().size();
    const std::uint64_t expected = counted().sum() + count;
    for (std::uint64_t i = 0; i < count; ++i) attacker.send(arsenal_.draw(weapon));
    for (int tries = 0; tries < 100 && counted().sum() < expected; ++tries) job_.turn(kVictim);
    if (engine.membership().state_hash() != state_ || engine.changes().size() != changes) {
      return failed("a state was changed by " + what);
    }
    if (counted().sum() != expected) {
      return failed("of " + std::to_string(count) + " " + what + " " +
                    std::to_string(count - (expected - counted().sum())) + " were counted");
    }
    return true;
  }

  void add(const Counted& from, const Counted& to) {
    total_.drops.malformed += to.drops.malformed - from.drops.malformed;
    total_.drops.other_version += to.drops.other_version - from.drops.other_version;
    total_.drops.unverified += to.drops.unverified - from.drops.unverified;
    total_.drops.misdelivered += to.drops.misdelivered - from.drops.misdelivered;
    total_.drops.outdated += to.drops.outdated - from.drops.outdated;
    total_.too_long += to.too_long - from.too_long;
  }

  Rails& rails_;
  Random random_;
  JobKey key_;
  LiveJob job_;
  Arsenal arsenal_;
  std::uint64_t state_ = 0;  // of the victim when the strike began
  Counted total_;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--fabric") {
      arguments.fabric = argv[i + 1];
    } else if (option == "--frames") {
      if (!swarm::parse_number(argv[i + 1], arguments.frames)) return false;
    } else if (option != "--seed" || !swarm::parse_number(argv[i + 1], arguments.seed)) {
      return false;
    }
  }
  return argc % 2 == 1;
}

}  // namespace
}  // namespace holdfast::hostile

int main(int argc, char** argv) {
  using namespace holdfast::hostile;
  Arguments arguments;
  const bool understood = parse(argc, argv, arguments);
  const auto rails = make_rails(arguments.fabric, kProcesses);
  if (!understood || !rails) {
    std::fputs("usage: hostile [--fabric udp|tcp|shm] [--frames N] [--seed S]\n", stderr);
    return 2;
  }
  Attack attack(*rails, arguments);
  if (!attack.run(arguments.frames)) return 1;
  std::printf("%s: %s\n", arguments.fabric.c_str(), attack.outcome().c_str());
  return 0;
}
