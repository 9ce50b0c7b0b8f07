// https://prometheus.io/docs/instrumenting/exposition_formats and .../practices/naming.
#include "hw/status/prometheus_text.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "hw/run/event_log.hpp"
#include "hw/status/job_name.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

using Label = std::pair<std::string_view, std::string>;

std::string text_of_number(std::uint64_t value) {
  return std::to_string(value);
}

// With a point, whatever language the program has chosen.
std::string text_of_seconds(std::int64_t ns) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(ns) / 1e9).ptr;
  return {text.data(), end};
}

class Page {
 public:
  explicit Page(const ProcessStatus& status)
      : common_("job_id=\"" + job_name(status.job) + "\",process=\"" +
                std::to_string(status.self.value) + "\"") {}

  void counter(std::string_view name, std::string_view help) { metric(name, "counter", help); }
  void gauge(std::string_view name, std::string_view help) { metric(name, "gauge", help); }
  // Of the metric that was begun last.
  void sample(const std::string& value, std::initializer_list<Label> labels = {}) {
    text_ += name_ + "{" + common_;
    for (const auto& [label, content] : labels) {
      text_ += "," + std::string(label) + "=\"" + escaped_label_value(content) + "\"";
    }
    text_ += "} " + value + "\n";
  }
  void sample(std::uint64_t value, std::initializer_list<Label> labels = {}) {
    sample(text_of_number(value), labels);
  }
  std::string take() { return std::move(text_); }

 private:
  void metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += "# HELP " + name_ + " " + escaped_help(help) + "\n# TYPE " + name_ + " " +
             std::string(type) + "\n";
  }

  std::string common_;  // labels
  std::string name_;
  std::string text_;
};

void add_process(const ProcessStatus& status, Page& page) {
  page.gauge("holdfast_info", "Always 1; its labels say which process this is.");
  page.sample(1, {{"node", std::to_string(status.node.value)},
                  {"pid", std::to_string(status.pid)},
                  {"wire_version", std::to_string(kFrameVersion)}});
  page.gauge("holdfast_processes", "Processes of the job.");
  page.sample(status.processes);
  page.gauge("holdfast_boot", "Restarts of this process within the job.");
  page.sample(boot_of(status.incarnation));
  page.gauge("holdfast_agent", "1 if this process speaks for its node or for itself.");
  page.sample(status.agent);
  page.counter("holdfast_turns_total", "Turns that the engine has taken.");
  page.sample(status.turns);
  page.counter("holdfast_control_cpu_seconds_total", "Processor time of the engine's thread.");
  page.sample(text_of_seconds(status.control_cpu.ns));
  page.counter("process_cpu_seconds_total", "Processor time of the process.");
  page.sample(text_of_seconds(status.cpu.ns));
  page.gauge("process_start_time_seconds", "When the process joined, since 1970.");
  page.sample(text_of_seconds((status.started + status.unix_offset).ns));
}

void add_beliefs(const ProcessStatus& status, Page& page) {
  std::array<std::uint64_t, static_cast<std::size_t>(kLastMemberState) + 1> members{};
  members[static_cast<std::size_t>(MemberState::alive)] = status.processes - status.beliefs.size();
  for (const Belief& belief : status.beliefs) {
    ++members[static_cast<std::size_t>(belief.record.state)];
  }
  page.gauge("holdfast_members", "Processes of the job by the state that this one believes.");
  for (std::size_t i = 0; i < members.size(); ++i) {
    page.sample(members[i], {{"state", std::string(name_of(static_cast<MemberState>(i)))}});
  }
  page.counter("holdfast_verdicts_total",
               "Processes that this one came to believe failed, by who had noticed.");
  page.sample(status.verdicts.own, {{"source", "own"}});
  page.sample(status.verdicts.heard, {{"source", "heard"}});
  page.counter("holdfast_verdicts_refuted_total",
               "Verdicts that were mistakes, for the process has refuted them.");
  page.sample(status.verdicts.own_refuted, {{"source", "own"}});
  page.sample(status.verdicts.heard_refuted, {{"source", "heard"}});
  page.counter("holdfast_refutations_total",
               "Times that this process was believed failed and has refuted it.");
  page.sample(status.verdicts.of_us);
  page.gauge("holdfast_emitter_heard_timestamp_seconds",
             "Last heartbeat of the process that this one watches, since 1970.");
  if (status.heard_at) page.sample(text_of_seconds((*status.heard_at + status.unix_offset).ns));
}

void add_frames(const ProcessStatus& status, Page& page) {
  page.counter("holdfast_frames_sent_total", "Frames handed to the engine to be sent, by purpose.");
  for (const auto& [name, count] : kFrameCountNames) {
    page.sample(status.sent.*count, {{"purpose", name}});
  }
  page.counter("holdfast_frames_dropped_total", "Frames that the engine dropped, by reason.");
  for (const auto& [name, count] : kDropCountNames) {
    page.sample(status.dropped.*count, {{"reason", name}});
  }
}

const RailStatus& rail_of(const RailStatus& status) {
  return status;
}

const RailStatus& rail_of(const MessageRailStatus& status) {
  return status.rail;
}

// Calls `sample` for each rail with its labels.
template <class Statuses, class Sample>
void for_each_rail(const Statuses& statuses, const Sample& sample) {
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    sample(statuses[i], Label{"rail", std::to_string(i)}, Label{"kind", rail_of(statuses[i]).kind});
  }
}

// What rails of both purposes have; `name` is what their metrics begin with.
template <class Statuses>
void add_traffic(const std::string& name, const Statuses& statuses, Page& page) {
  using Status = typename Statuses::value_type;
  page.gauge(name + "_info", "Always 1; its labels say where frames arrive.");
  for_each_rail(statuses, [&](const Status& rail, const Label& number, const Label& kind) {
    page.sample(1, {number, kind, {"address", rail_of(rail).address}});
  });
  page.gauge(name + "_up", "1 unless the rail has said that its port is down.");
  for_each_rail(statuses, [&](const Status& rail, const Label& number, const Label& kind) {
    page.sample(rail_of(rail).up, {number, kind});
  });
  page.counter(name + "_frames_total", "Frames on a rail, by direction.");
  for_each_rail(statuses, [&](const Status& rail, const Label& number, const Label& kind) {
    page.sample(rail_of(rail).frames_sent, {number, kind, {"direction", "sent"}});
    page.sample(rail_of(rail).frames_received, {number, kind, {"direction", "received"}});
  });
  page.counter(name + "_bytes_total", "Bytes of these frames.");
  for_each_rail(statuses, [&](const Status& rail, const Label& number, const Label& kind) {
    page.sample(rail_of(rail).bytes_sent, {number, kind, {"direction", "sent"}});
    page.sample(rail_of(rail).bytes_received, {number, kind, {"direction", "received"}});
  });
  page.counter(name + "_frames_lost_total", "Frames that the rail knows to be lost, by reason.");
  for_each_rail(statuses, [&](const Status& rail, const Label& number, const Label& kind) {
    for (const auto& [reason, frames] : rail_of(rail).lost) {
      page.sample(frames, {number, kind, {"reason", reason}});
    }
  });
}

void add_message_rails(const ProcessStatus& status, Page& page) {
  const auto& rails = status.message_rails;
  add_traffic("holdfast_message_rail", rails, page);
  page.gauge("holdfast_message_rail_peers",
             "Processes that messages may go to, by how this one judges its rail to them.");
  for_each_rail(rails, [&](const MessageRailStatus& rail, const Label& number, const Label& kind) {
    for (std::size_t i = 0; i < rail.peers.size(); ++i)
      page.sample(rail.peers[i], {number, kind, {"state", kRailHealthNames[i]}});
  });
  page.gauge("holdfast_message_rail_round_trip_seconds",
             "Smoothed round trip, of the processes with which one was measured.");
  for_each_rail(rails, [&](const MessageRailStatus& rail, const Label& number, const Label& kind) {
    for (const auto& [which, span] :
         {std::pair{"median", rail.round_trip_median}, std::pair{"max", rail.round_trip_max}})
      if (span) page.sample(text_of_seconds(span->ns), {number, kind, {"of_peers", which}});
  });
  page.counter("holdfast_message_rail_fragments_given_up_total",
               "Pieces of messages that count as lost on this rail, and are sent again on any.");
  for_each_rail(rails, [&](const MessageRailStatus& rail, const Label& number, const Label& kind) {
    page.sample(rail.fragments_given_up, {number, kind});
  });
}

}  // namespace

std::string escaped_help(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string escaped_label_value(std::string_view text) {
  std::string escaped;
  for (const char c : escaped_help(text)) {
    if (c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string prometheus_text(const ProcessStatus& status) {
  Page page(status);
  add_process(status, page);
  add_beliefs(status, page);
  add_frames(status, page);
  add_traffic("holdfast_rail", status.rails, page);
  if (!status.message_rails.empty()) add_message_rails(status, page);
  return page.take();
}

}  // namespace holdfast::hw
