// Contenders are pairs of processes that sleep while it is not their turn. A round measures each of
// them once with the same number of messages, and begins with another one than the round before.
#include "experiments/netpipe/comparison.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "experiments/netpipe/holdfast_end.hpp"
#include "experiments/netpipe/measurements.hpp"
#include "experiments/netpipe/pair.hpp"
#include "experiments/netpipe/raw_ends.hpp"
#include "experiments/netpipe/step_length.hpp"
#include "experiments/netpipe/verbs_rails.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::netpipe {
namespace {

struct Contender {
  std::string name;
  std::unique_ptr<OpenRails> rails;  // of ours: outlives its processes
  std::unique_ptr<RawPair> raw;
  std::unique_ptr<AddressBoard> board;  // of verbs
  std::unique_ptr<Pair> pair;
};

class Contest {
 public:
  explicit Contest(const Plan& plan)
      : plan_(plan), network_{plan.target, plan.target, plan.rails * plan.places.burst_bytes()} {
    if (!is_limited()) return;
    const std::string rails = plan.rails > 1 ? std::to_string(plan.rails) + " x " : "";
    network_.name += " at " + rails + std::to_string(plan.places.megabits()) + " Mbit/s";
  }

  Status open(Findings& findings) {
    for (const reliable::Timers timers : plan_.timers) {
      for (const std::uint32_t bytes : plan_.fragment_bytes) {
        if (Status status = open_all_ours(timers, bytes); !status.is_ok()) return status;
      }
    }
    if (Status status = open_raw(); !status.is_ok()) return status;
    open_mpi(findings);
    return Status::ok();
  }

  Status run(Findings& findings) {
    for (const std::size_t bytes : plan_.sizes) {
      for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
        plan_.before_each(network_.name + " " + name_of(pattern) + ", " + std::to_string(bytes) +
                          " bytes");
        for (std::uint32_t round = 0; round < plan_.rounds; ++round) {
          if (Status status = run_round(pattern, bytes, round, findings); !status.is_ok())
            return status;
        }
      }
    }
    std::vector<std::string> names;
    for (const Contender& each : contenders_) names.push_back(each.name);
    findings.rows = measurements_.rows(network_.name, names);
    findings.overheads = measurements_.overheads(network_.name, protections_);
    findings.shows = promised(network_, compared_, measurements_);
    return Status::ok();
  }

 private:
  bool is_verbs() const { return plan_.target == "verbs"; }
  bool is_limited() const { return network_.burst_bytes > 0; }

  // With each checksum and with none. What is promised is promised of the first.
  Status open_all_ours(reliable::Timers timers, std::uint32_t bytes) {
    const bool many = plan_.fragment_bytes.size() > 1;
    const std::string more = (many ? " " + std::to_string(bytes) : "") +
                             (timers == reliable::Timers::paper ? " paper timers" : "");
    RailPlan rail{plan_.target, plan_.rails, bytes, "", plan_.seal, plan_.sleeps, timers};
    const std::string unprotected = "holdfast none" + more;
    for (const std::string& checksum : plan_.checksums) {
      const std::string name = "holdfast " + checksum + more;
      rail.checksum = checksum;
      if (Status status = open_ours(name, rail); !status.is_ok()) return status;
      if (compared_.is_protected.empty()) compared_.is_protected = name;
      protections_.push_back({name, unprotected});
    }
    rail.checksum = "";
    if (Status status = open_ours(unprotected, rail); !status.is_ok()) return status;
    if (compared_.unprotected.empty()) compared_.unprotected = unprotected;
    return Status::ok();
  }

  Status open_ours(const std::string& name, const RailPlan& rail) {
    Contender& made = contenders_.emplace_back();
    made.name = name;
    made.rails = std::make_unique<OpenRails>();
    if (is_verbs()) {
      if (Status status = AddressBoard::create(made.board); !status.is_ok()) return status;
    } else if (Status status = open_rails(rail, plan_.places, *made.rails); !status.is_ok()) {
      return status;
    }
    return Pair::fork(
        [&](bool is_first) {
          if (is_verbs()) open_verbs_rails(rail, is_first, *made.board, *made.rails);
          if (Status status = plan_.places.enter(is_first ? 0 : 1); !status.is_ok())
            throw EndFailed(status.message());
          return std::make_unique<HoldfastEnd>(rail, *made.rails, is_first);
        },
        made.pair);
  }

  Status open_raw() {
    Contender& made = contenders_.emplace_back();
    compared_.raw = made.name = "raw " + plan_.target;
    if (is_verbs()) {
      if (Status status = AddressBoard::create(made.board); !status.is_ok()) return status;
      return Pair::fork([&](bool is_first) { return make_raw_verbs_end(is_first, *made.board); },
                        made.pair);
    }
    made.raw = std::make_unique<RawPair>();
    const auto datagram =
        plan_.fragment_bytes.back() + static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
    Status status = plan_.target == "udp"
                        ? open_raw_udp(plan_.places, datagram, plan_.sleeps, *made.raw)
                    : plan_.target == "tcp" ? open_raw_tcp(plan_.places, plan_.sleeps, *made.raw)
                                            : open_raw_shm(plan_.sleeps, *made.raw);
    if (!status.is_ok()) return status;
    return Pair::fork([&](bool is_first) { return std::move(made.raw->ends[is_first ? 0 : 1]); },
                      made.pair);
  }

  // Where it is not installed, or cannot be started, there is no such contender. UDP is none of its
  // networks: TCP is beside it.
  void open_mpi(Findings& findings) {
    if (plan_.mpi_program.empty()) return;
    if (is_limited()) {
      findings.without_mpi = "it is measured on one host only";
      return;
    }
    if (::access(plan_.mpi_program.c_str(), X_OK) != 0) {
      findings.without_mpi =
          plan_.mpi_program + " is not there; with libopenmpi-dev the target mpi_netpipe makes it";
      return;
    }
    const std::string network = plan_.target == "shm" ? "vader" : is_verbs() ? "openib" : "tcp";
    Contender made;
    compared_.mpi = made.name = "ob1 " + network;
    Status status =
        Pair::start({"mpirun", "--allow-run-as-root", "-n", "2", "--bind-to", "core", "--mca",
                     "pml", "ob1", "--mca", "btl", "self," + network, "--mca", "btl_tcp_if_include",
                     "lo", "--mca", "btl_openib_allow_ib", "1", plan_.mpi_program},
                    made.pair);
    if (status.is_ok()) {
      contenders_.push_back(std::move(made));
    } else {
      findings.without_mpi = status.message();
    }
  }

  Status run_round(Pattern pattern, std::size_t bytes, std::uint32_t round, Findings& findings) {
    Order order;
    order.pattern = pattern;
    order.bytes = bytes;
    order.count = messages_of_step(bytes);
    const double trips = pattern == Pattern::ping_pong ? 2 : 1;
    for (std::size_t turn = 0; turn < contenders_.size(); ++turn) {
      if (plan_.is_over()) return Status::error("stopped by a signal");
      const Contender& contender = contenders_[(round + turn) % contenders_.size()];
      order.batch = ++batches_;
      Pair::Measured measured;
      if (Status status = contender.pair->measure(order, measured); !status.is_ok())
        return Status::error(contender.name + ", " + std::to_string(bytes) +
                             " bytes: " + status.message());
      if (measured.wrong > 0) {
        return Status::error(contender.name + ": of " + std::to_string(order.count) +
                             " messages of " + std::to_string(bytes) + " bytes " +
                             std::to_string(measured.wrong) + " are not what was sent");
      }
      if (contender.rails && !plan_.sleeps) {
        ++findings.polled_steps;
        findings.disturbed_steps += measured.processor_share < kQuietShare ? 1u : 0u;
      }
      findings.additions_per_cycle.push_back(measured.additions_per_cycle);
      for (const Traffic& traffic : measured.traffic)
        findings.fragments_resent += traffic.fragments_resent;
      const double all = trips * static_cast<double>(order.count);
      findings.messages += static_cast<std::uint64_t>(all);
      measurements_.add(pattern, bytes, contender.name,
                        static_cast<double>(bytes) * all / measured.seconds);
    }
    return Status::ok();
  }

  const Plan& plan_;
  Network network_;
  std::vector<Contender> contenders_;
  Compared compared_;
  std::vector<Protection> protections_;
  Measurements measurements_;
  std::uint64_t batches_ = 0;
};

}  // namespace

std::uint32_t default_fragment_bytes(const std::string& target) {
  if (target == "udp") return 1472 - static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
  if (target == "verbs") return most_fragment_bytes(target);
  return target == "tcp" ? 256 << 10 : 16 << 10;
}

std::uint32_t most_fragment_bytes(const std::string& target) {
  if (target == "udp") return 65'507 - static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
  if (target == "verbs") {
    std::uint32_t bytes = 0;
    return verbs_fragment_bytes(bytes).is_ok() ? bytes : 0;
  }
  return 1 << 20;
}

std::uint32_t least_megabits(std::size_t longest) {
  constexpr double kStep_s = 10;  // half of what anybody waits
  const auto there = static_cast<double>(std::max(kStepBytes, kMessagesLeast * longest));
  return static_cast<std::uint32_t>(std::ceil(2 * there * 8 / 1e6 / kStep_s));
}

Status measure(const Plan& plan, Findings& findings) {
  Contest contest(plan);
  if (Status status = contest.open(findings); !status.is_ok()) return status;
  return contest.run(findings);
}

}  // namespace holdfast::netpipe
