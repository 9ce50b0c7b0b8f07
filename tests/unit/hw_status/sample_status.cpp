// Every number is another one, so that none can stand for another.
#include "tests/unit/hw_status/sample_status.hpp"

namespace holdfast::hw {

ProcessStatus sample_status() {
  ProcessStatus status;
  status.job = 0x00a1b2c3;
  status.self = {1};
  status.processes = 4;
  status.nodes = 2;
  status.per_node = 2;
  status.node = {0};
  status.pid = 4711;
  status.incarnation = {2};
  status.agent = true;
  status.started = Time{} + seconds(100);
  status.taken = Time{} + seconds(130);
  status.unix_offset = seconds(1'000'000);
  status.digest = 0xfedc'ba98'7654'3210;
  status.beliefs = {{{2}, {{0}, MemberState::failed}, Time{} + seconds(120)},
                    {{3}, {{65536}, MemberState::alive}, std::nullopt}};
  status.moments = {{Time{} + seconds(120), {2}, {{0}, MemberState::failed}, true}};
  status.verdicts = {11, 12, 13, 14, 15};
  status.watches = {0};
  status.watched_by = {3};
  status.heard_at = Time{} + milliseconds(129'500);
  status.verdict_at = Time{} + milliseconds(130'500);
  status.sent = {21, 22, 23, 24, 25, 26, 27};
  status.dropped = {31, 32, 33, 34, 35, 36, 37};
  RailStatus rail;
  rail.kind = "udp";
  rail.address = "127.0.0.1:4000";
  rail.up = false;
  rail.frames_sent = 41;
  rail.frames_received = 42;
  rail.bytes_sent = 43;
  rail.bytes_received = 44;
  rail.lost = {{"send_error", 45}, {"truncated", 46}};
  status.rails = {rail};
  MessageRailStatus messages;
  messages.rail.kind = "tcp";
  messages.rail.address = "127.0.0.1:5000";
  messages.rail.frames_sent = 61;
  messages.rail.frames_received = 62;
  messages.rail.bytes_sent = 63;
  messages.rail.bytes_received = 64;
  messages.rail.lost = {{"unsent", 65}};
  messages.peers = {71, 72, 73, 74};
  messages.not_up = {{{0}, reliable::RailHealth::suspect}, {{3}, reliable::RailHealth::probation}};
  messages.round_trip_median = microseconds(81);
  messages.round_trip_max = microseconds(82);
  messages.fragments_given_up = 83;
  MessageRailStatus unused;
  unused.rail.kind = "udp";
  unused.rail.up = false;
  status.message_rails = {messages, unused};
  status.turns = 51;
  status.cpu = milliseconds(1250);
  status.control_cpu = milliseconds(750);
  return status;
}

}  // namespace holdfast::hw
