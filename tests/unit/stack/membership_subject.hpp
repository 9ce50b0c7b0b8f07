// For the tests of the membership: one process, and everybody it could hear from. Period 100 ms,
// timeout 1 s, retransmission after 50 ms.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "stack/membership.hpp"

namespace holdfast {

using MemberRun = holdfast::Run;  // testing::Test has a Run of its own

inline Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

struct Sent {
  FrameType type;
  std::uint32_t to;
  std::vector<MemberRun> runs;
  bool answer_wanted = false;
  bool sender_joining = false;
  std::uint64_t after = 0, upto = 0;
  Broadcast broadcast = {};
};

inline Record alive(std::uint32_t incarnation) {
  return {{incarnation}, MemberState::alive};
}
inline Record failed(std::uint32_t incarnation) {
  return {{incarnation}, MemberState::failed};
}
inline MemberRun run_of(std::uint32_t process, Record record) {
  return {{process}, record.incarnation, 1, record.state};
}

// A process and everybody it could hear from.
class MembershipSubject {
 public:
  MembershipSubject(const RosterOptions& roster, const MembershipOptions& options)
      : roster_(roster), membership_(options, roster_, memory_) {}

  void start(Time now) { membership_.start(now); }

  // A frame from `from`; its digest is the receiver's own unless said otherwise.
  void hear(Time now, FrameType type, std::uint32_t from, std::vector<MemberRun> runs = {},
            bool answer_wanted = false, bool sender_joining = false) {
    Header header = header_of(type, from);
    Body body;
    body.runs = runs;
    body.upto = runs.size();
    body.answer_wanted = answer_wanted;
    body.sender_joining = sender_joining;
    membership_.handle(now, now, header, body, true);
  }
  // A notice of a named broadcast.
  void hear_broadcast(Time now, std::uint32_t from, const Broadcast& broadcast,
                      std::vector<MemberRun> runs) {
    Body body;
    body.runs = runs;
    body.upto = runs.size();
    body.broadcast = broadcast;
    membership_.handle(now, now, header_of(FrameType::notice, from), body, true);
  }
  // A frame of a difference that goes on in another.
  void hear_first_part(Time now, std::uint32_t from, std::vector<MemberRun> runs) {
    Body body;
    body.runs = runs;
    body.more_follows = true;
    membership_.handle(now, now, header_of(FrameType::difference, from), body, true);
  }
  void hear_differing(Time now, FrameType type, std::uint32_t from) {
    Header header = header_of(type, from);
    header.digest ^= 1;
    membership_.handle(now, now, header, {}, true);
  }
  void hear_life(Time now, FrameType type, std::uint32_t from, std::uint32_t incarnation,
                 bool sender_joining = false) {
    Header header = header_of(type, from);
    header.sender_incarnation = {incarnation};
    Body body;
    body.sender_joining = sender_joining;
    membership_.handle(now, now, header, body, true);
  }
  void acknowledge(Time now, const Sent& notice) {
    Body body;
    body.after = notice.after;
    body.upto = notice.upto;
    body.broadcast = notice.broadcast;
    membership_.handle(now, now, header_of(FrameType::acknowledgement, notice.to), body, true);
  }

  std::vector<Sent> poll(Time now) {
    std::vector<Sent> sent;
    MembershipAction action;
    while (membership_.poll(now, scratch_, action)) {
      if (action.kind == MembershipAction::Kind::watch) {
        watched.push_back(action.to.value);
        continue;
      }
      const Body body = has_body(action.type) ? action.body : Body{};
      sent.push_back({action.type,
                      action.to.value,
                      {body.runs.begin(), body.runs.end()},
                      body.answer_wanted,
                      body.sender_joining,
                      body.after,
                      body.upto,
                      body.broadcast});
    }
    return sent;
  }
  // Of one type only.
  std::vector<Sent> poll(Time now, FrameType type) {
    std::vector<Sent> sent = poll(now);
    std::erase_if(sent, [type](const Sent& frame) { return frame.type != type; });
    return sent;
  }

  Membership& membership() { return membership_; }
  // Memberships of this thread that have something under way.
  std::size_t busy() const { return memory_.pending.in_use(); }
  Record of(std::uint32_t process) const { return membership_.view().of({process}); }

  std::vector<std::uint32_t> watched;

 private:
  Header header_of(FrameType type, std::uint32_t from) const {
    Header header;
    header.type = type;
    header.sender = {from};
    header.sender_incarnation = membership_.view().of({from}).incarnation;
    header.receiver_incarnation = membership_.incarnation();
    header.digest = membership_.view().digest();
    return header;
  }

  Roster roster_;
  MembershipMemory memory_;
  Membership membership_;
  std::array<MemberRun, kRunsMax> scratch_;
};

inline MembershipOptions options_of(std::uint32_t self, bool rejoining = false,
                                    bool backstop = true) {
  MembershipOptions options;
  options.self = {self};
  options.rejoining = rejoining;
  if (rejoining) options.incarnation = first_incarnation_of_boot(1);
  options.detection.probes = backstop;
  options.backstop = backstop;
  options.retransmission_timeout = milliseconds(50);
  return options;
}

// Process `self` of `processes` that are domains of their own, started and past its first
// heartbeat.
inline MembershipSubject plain(std::uint32_t processes, std::uint32_t self, bool backstop = true) {
  return MembershipSubject({.nodes = processes}, options_of(self, false, backstop));
}

inline std::vector<std::uint32_t> receivers(const std::vector<Sent>& sent) {
  std::vector<std::uint32_t> to;
  for (const Sent& frame : sent) to.push_back(frame.to);
  std::sort(to.begin(), to.end());
  return to;
}

}  // namespace holdfast
