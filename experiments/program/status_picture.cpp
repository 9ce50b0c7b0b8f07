// The lines, from the most wanted to the least: who lives, who disagrees, what happened, rails.
#include "experiments/program/status_picture.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "hw/run/event_log.hpp"
#include "hw/status/job_name.hpp"

namespace holdfast::program {
namespace {

using hw::JobStatus;
using hw::MemberStatus;
using hw::ProcessStatus;

constexpr std::size_t kMomentsShown = 5;
constexpr std::size_t kRanksShown = 16;
constexpr std::size_t kTroublesShown = 8;

template <class... Values>
std::string format(const char* form, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), form, values...);
  return text.data();
}

std::string text_of_age(Duration age) {
  const double s = static_cast<double>(age.ns) / 1e9;
  if (s < 0.9995) return format("%.0f ms", s * 1e3);
  if (s < 120) return format(s < 10 ? "%.1f s" : "%.0f s", s);
  if (s < 7200) return format("%.0f min", s / 60);
  return format("%.1f h", s / 3600);
}

std::string text_of_bytes(std::uint64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (b < 1e4) return std::to_string(bytes) + " B";
  if (b < 1e7) return format("%.0f kB", b / 1e3);
  return b < 1e10 ? format("%.0f MB", b / 1e6) : format("%.1f GB", b / 1e9);
}

std::string text_of_rank(ProcessId process) {
  return process == kNoProcess ? "-" : std::to_string(process.value);
}

// "0 1 2", or the first of many and how many more.
std::string text_of_ranks(const std::vector<ProcessId>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), kRanksShown); ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(ranks[i].value);
  }
  if (ranks.size() > kRanksShown) {
    text += " and " + std::to_string(ranks.size() - kRanksShown) + " more";
  }
  return text;
}

// "failed", or with the life that is meant where it is not the first: "alive (restarts 1)".
std::string text_of(const Record& record) {
  std::string text(hw::name_of(record.state));
  const std::uint32_t boot = boot_of(record.incarnation);
  const std::uint32_t refutations = record.incarnation.value & 0xffff;
  if (boot > 0) text += format(" (restarts %u", boot);
  if (refutations > 0) text += format("%srefutations %u", boot > 0 ? ", " : " (", refutations);
  return boot > 0 || refutations > 0 ? text + ")" : text;
}

Time latest(const JobStatus& job) {
  Time at;
  for (const ProcessStatus& view : job.views) at = std::max(at, view.taken);
  return at;
}

std::string headline(const JobStatus& job) {
  std::map<MemberState, std::size_t> states;
  std::size_t disputed = 0;
  for (const MemberStatus& member : job.members) {
    ++states[member.record().state];
    disputed += member.disputed();
  }
  std::string text = "job " + hw::job_name(job.job) + ": " + std::to_string(job.processes) +
                     " processes on " + std::to_string(job.nodes) + " nodes: ";
  const char* separator = "";
  for (const auto& [state, count] : states) {
    text += separator + std::to_string(count) + " " + std::string(hw::name_of(state));
    separator = ", ";
  }
  if (disputed > 0) text += "; views disagree about " + std::to_string(disputed);
  text += "; " + std::to_string(job.views.size()) + " answer here";
  if (!job.silent.empty()) text += ", " + std::to_string(job.silent.size()) + " do not";
  return text;
}

// In six columns.
std::string text_of_rate(double per_s) {
  if (per_s >= 999999.5) return format("%.0fM", per_s / 1e6);
  return format(per_s < 9999.95 ? "%.1f" : "%.0f", per_s);
}

// In four.
std::string text_of_percent(double percent) {
  if (percent < 9.995) return format("%.2f", percent);
  return format(percent < 99.95 ? "%.1f" : "%.0f", percent);
}

// All columns fit on a terminal of 80, in a job of fewer than 10,000 nodes: each is as wide as what
// it holds nearly always, and no wider.
std::string row(const JobStatus& job, const JobStatus* before, const MemberStatus& member) {
  const std::string state =
      std::string(hw::name_of(member.record().state)) + (member.disputed() ? "?" : "");
  std::string line =
      format("%7u %4u %-10s", member.process.value, member.node.value, state.c_str());
  const ProcessStatus* view = job.view_of(member.process);
  if (view == nullptr) {
    const bool silent =
        std::find(job.silent.begin(), job.silent.end(), member.process) != job.silent.end();
    if (silent) return line + " does not answer";
    if (!is_live(member.record()) && member.since) {
      return line + " since " + text_of_age(latest(job) - *member.since);
    }
    return line + " not on this machine, or without a socket";
  }
  const hw::Rates rate =
      rates(before == nullptr ? nullptr : before->view_of(member.process), *view);
  const std::string heard = view->heard_at ? text_of_age(view->taken - *view->heard_at) : "-";
  return line + format(" %7d %7s %6s %7s %6s %6s %6s %4s", view->pid,
                       text_of_rank(view->watches).c_str(), heard.c_str(),
                       text_of_rank(view->watched_by).c_str(),
                       text_of_rate(rate.frames_sent_per_s).c_str(),
                       text_of_rate(rate.frames_received_per_s).c_str(),
                       text_of_rate(rate.turns_per_s).c_str(),
                       text_of_percent(rate.control_cpu * 100).c_str());
}

void add_table(const JobStatus& job, const JobStatus* before, std::size_t rows_max,
               std::vector<std::string>& lines) {
  lines.push_back(
      "process node state          pid watches  heard watcher sent/s recv/s turn/s cpu%");
  std::vector<const MemberStatus*> shown;
  for (const MemberStatus& member : job.members) shown.push_back(&member);
  std::stable_partition(shown.begin(), shown.end(), [&](const MemberStatus* member) {
    return !member->well() ||
           std::find(job.silent.begin(), job.silent.end(), member->process) != job.silent.end();
  });
  const std::size_t left_out = shown.size() - std::min(shown.size(), rows_max);
  shown.resize(shown.size() - left_out);
  std::sort(shown.begin(), shown.end(),
            [](const MemberStatus* a, const MemberStatus* b) { return a->process < b->process; });
  for (const MemberStatus* member : shown) lines.push_back(row(job, before, *member));
  if (left_out > 0) lines.push_back("        and " + std::to_string(left_out) + " more");
}

void add_disagreements(const JobStatus& job, std::vector<std::string>& lines) {
  bool any = false;
  for (const MemberStatus& member : job.members) {
    if (!member.disputed()) continue;
    if (!std::exchange(any, true)) lines.insert(lines.end(), {"", "disagreements"});
    std::string line = "  process " + std::to_string(member.process.value) + ":";
    for (const hw::Opinion& opinion : member.opinions) {
      line += (&opinion == &member.opinions.front() ? " " : "; ") + text_of(opinion.record) +
              " believed by " + text_of_ranks(opinion.by);
    }
    lines.push_back(line);
  }
}

// The last verdicts and refutations, each as its first witness saw it.
void add_moments(const JobStatus& job, std::vector<std::string>& lines) {
  struct First {
    hw::BeliefMoment moment;
    ProcessId witness;
  };
  std::map<std::pair<ProcessId, Record>, First> firsts;
  for (const ProcessStatus& view : job.views) {
    for (const hw::BeliefMoment& moment : view.moments) {
      const auto [at, is_new] =
          firsts.try_emplace({moment.process, moment.record}, First{moment, view.self});
      if (!is_new && moment.at < at->second.moment.at) at->second = {moment, view.self};
    }
  }
  if (firsts.empty()) return;
  std::vector<First> ordered;
  for (const auto& [key, first] : firsts) ordered.push_back(first);
  std::sort(ordered.begin(), ordered.end(),
            [](const First& a, const First& b) { return a.moment.at > b.moment.at; });
  lines.insert(lines.end(), {"", "what happened last"});
  for (std::size_t i = 0; i < std::min(ordered.size(), kMomentsShown); ++i) {
    const auto& [moment, witness] = ordered[i];
    lines.push_back(format("  %8s ago  process %u %s, first known to %u%s",
                           text_of_age(latest(job) - moment.at).c_str(), moment.process.value,
                           text_of(moment.record).c_str(), witness.value,
                           moment.own_verdict ? ", who noticed it" : ""));
  }
}

std::string text_of_round_trip(Duration span) {
  const auto ns = static_cast<double>(span.ns);
  return ns < 1e6 ? format("%.1f us", ns / 1e3) : format("%.1f ms", ns / 1e6);
}

// All processes' rails of one number together.
struct MessageRails {
  hw::RailStatus sum;
  std::array<std::uint64_t, reliable::kRailHealths> peers{};
  std::uint64_t given_up = 0;
  std::optional<Duration> round_trip_max;
  std::size_t ports_down = 0;
};

std::string line_of(std::size_t number, const MessageRails& rails) {
  std::string line = "message rail " + std::to_string(number) + " " + rails.sum.kind + ":";
  for (std::size_t i = 0; i < rails.peers.size(); ++i)
    if (i == 0 || rails.peers[i] > 0)
      line +=
          (i == 0 ? " " : ", ") + std::to_string(rails.peers[i]) + " " + hw::kRailHealthNames[i];
  if (rails.round_trip_max)
    line += "; round trip up to " + text_of_round_trip(*rails.round_trip_max);
  line += "; sent " + text_of_bytes(rails.sum.bytes_sent) + ", received " +
          text_of_bytes(rails.sum.bytes_received) + ", " + std::to_string(rails.given_up) +
          " fragments sent again";
  if (rails.ports_down > 0) line += "; port down at " + std::to_string(rails.ports_down);
  return line;
}

// How messages travel, and who judges a rail to whom to be other than up.
void add_message_rails(const JobStatus& job, std::vector<std::string>& lines) {
  std::vector<MessageRails> rails;
  std::vector<std::string> troubles;
  for (const ProcessStatus& view : job.views) {
    rails.resize(std::max(rails.size(), view.message_rails.size()));
    for (std::size_t i = 0; i < view.message_rails.size(); ++i) {
      const hw::MessageRailStatus& one = view.message_rails[i];
      MessageRails& all = rails[i];
      all.sum.kind = one.rail.kind;
      all.sum.bytes_sent += one.rail.bytes_sent;
      all.sum.bytes_received += one.rail.bytes_received;
      all.given_up += one.fragments_given_up;
      all.ports_down += !one.rail.up;
      all.round_trip_max = std::max(all.round_trip_max, one.round_trip_max);
      for (std::size_t k = 0; k < one.peers.size(); ++k) all.peers[k] += one.peers[k];
      for (const auto& [peer, health] : one.not_up)
        troubles.push_back(format("  process %u judges rail %zu to %u: %s", view.self.value, i,
                                  peer.value,
                                  hw::kRailHealthNames[static_cast<std::size_t>(health)]));
    }
  }
  for (std::size_t i = 0; i < rails.size(); ++i) lines.push_back(line_of(i, rails[i]));
  for (std::size_t i = 0; i < std::min(troubles.size(), kTroublesShown); ++i)
    lines.push_back(troubles[i]);
  if (troubles.size() > kTroublesShown)
    lines.push_back("  and " + std::to_string(troubles.size() - kTroublesShown) + " more");
}

void add_sums(const JobStatus& job, std::vector<std::string>& lines) {
  hw::VerdictCounts verdicts;
  std::map<std::string, hw::RailStatus> rails;  // by kind
  std::map<std::string, std::uint64_t> lost, dropped;
  std::map<std::string, std::size_t> down;
  for (const ProcessStatus& view : job.views) {
    verdicts.own += view.verdicts.own;
    verdicts.own_refuted += view.verdicts.own_refuted;
    verdicts.of_us += view.verdicts.of_us;
    for (const hw::RailStatus& rail : view.rails) {
      hw::RailStatus& sum = rails[rail.kind];
      sum.frames_sent += rail.frames_sent;
      sum.bytes_sent += rail.bytes_sent;
      sum.frames_received += rail.frames_received;
      sum.bytes_received += rail.bytes_received;
      down[rail.kind] += !rail.up;
      for (const auto& [reason, frames] : rail.lost) lost[reason] += frames;
    }
    for (const auto& [name, count] : hw::kDropCountNames) dropped[name] += view.dropped.*count;
  }
  const auto reasons = [](const std::map<std::string, std::uint64_t>& counts) {
    std::string text;
    for (const auto& [reason, count] : counts) {
      if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
    }
    return text.empty() ? std::string("none") : text;
  };
  lines.push_back("");
  lines.push_back(
      format("verdicts of those who answer: %llu noticed by themselves, %llu of these "
             "refuted; %llu times one was believed dead itself",
             static_cast<unsigned long long>(verdicts.own),
             static_cast<unsigned long long>(verdicts.own_refuted),
             static_cast<unsigned long long>(verdicts.of_us)));
  for (const auto& [kind, sum] : rails) {
    lines.push_back("rail " + kind + ": sent " + std::to_string(sum.frames_sent) + " frames, " +
                    text_of_bytes(sum.bytes_sent) + "; received " +
                    std::to_string(sum.frames_received) + ", " + text_of_bytes(sum.bytes_received) +
                    (down[kind] > 0 ? "; down at " + std::to_string(down[kind]) : ""));
  }
  add_message_rails(job, lines);
  // Several rails bring news several times: that is no fault.
  const std::uint64_t copies = std::exchange(dropped["copies"], 0);
  lines.push_back(
      "frames lost by rails: " + reasons(lost) + "; dropped by engines: " + reasons(dropped) +
      (copies > 0 ? "; " + std::to_string(copies) + " copies that another rail had brought" : ""));
}

}  // namespace

std::vector<std::string> status_lines(const JobStatus& job, const JobStatus* before,
                                      std::size_t rows_max) {
  if (job.members.empty()) {
    return {"job " + hw::job_name(job.job) + ": of " + std::to_string(job.silent.size()) +
            " processes here none answers; they are stopped, or have not begun"};
  }
  std::vector<std::string> lines{headline(job), ""};
  add_table(job, before, rows_max, lines);
  add_disagreements(job, lines);
  add_moments(job, lines);
  add_sums(job, lines);
  return lines;
}

}  // namespace holdfast::program
