// Processes that step their programs against each other in memory: the most naive MPI there can be.
// Every message is looked for by who sent it, to whom and with which tag, in order. Whatever does
// not match, differs in length, waits for ever or is left over is an error.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/workload/step.hpp"

namespace holdfast::sim {

// When a send is done: as soon as it is made, or not before its receiver has taken it.
enum class Sends { eager, synchronous };

class Machine {
 public:
  using Program = std::function<bool(Step&)>;

  Machine(std::vector<Program> programs, Sends sends)
      : programs_(std::move(programs)), sends_(sends), processes_(programs_.size()) {
    for (std::size_t i = 0; i < processes_.size(); ++i)
      processes_[i].knows = i < 64 ? std::uint64_t{1} << i : 0;
  }

  // The first error; empty: all have come to their ends, and nothing is left over.
  std::string run() {
    bool progress = true;
    while (progress && error_.empty()) {
      progress = false;
      for (std::uint32_t i = 0; i < processes_.size(); ++i) {
        while (error_.empty() && step(i)) progress = true;
      }
    }
    for (std::uint32_t i = 0; i < processes_.size() && error_.empty(); ++i) {
      if (!processes_[i].ended) error_ = std::to_string(i) + " waits for ever";
      if (processes_[i].unwaited != 0)
        error_ = std::to_string(i) + " never waits for what it posted";
    }
    for (const auto& [name, channel] : channels_) {
      if (!error_.empty()) break;
      if (!channel.sent.empty() || !channel.wanted.empty())
        error_ = describe(name) + ": something is left over";
    }
    return error_;
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  // Of the first 64 processes: whose part a process has, its own or handed on by others.
  std::uint64_t knows(std::uint32_t process) const { return processes_[process].knows; }

 private:
  using Name = std::uint64_t;  // from, to and tag, see name_of()
  struct Message {
    std::uint64_t bytes, knows;
    bool posted;
  };
  struct Wanted {
    std::uint64_t bytes;
    bool posted;
  };
  struct Channel {
    std::deque<Message> sent;
    std::deque<Wanted> wanted;
  };
  struct Process {
    bool blocked = false, waiting = false, ended = false;
    std::uint32_t posted = 0;    // not yet done
    std::uint32_t unwaited = 0;  // since the last wait
    std::uint64_t knows = 0, coming = 0;
  };

  static Name name_of(std::uint32_t from, std::uint32_t to, std::uint32_t tag) {
    return std::uint64_t{from} << 42 | std::uint64_t{to} << 20 | tag;
  }
  static std::uint32_t sender_of(Name name) { return static_cast<std::uint32_t>(name >> 42); }
  static std::uint32_t receiver_of(Name name) {
    return static_cast<std::uint32_t>(name >> 20) & 0x3f'ffff;
  }
  static std::string describe(Name name) {
    return "from " + std::to_string(sender_of(name)) + " to " + std::to_string(receiver_of(name)) +
           ", tag " + std::to_string(name & 0xf'ffff);
  }

  bool step(std::uint32_t self) {
    Process& process = processes_[self];
    if (process.ended || process.blocked) return false;
    if (process.waiting) {
      if (process.posted > 0) return false;
      process.waiting = false;
      process.knows |= std::exchange(process.coming, 0);
    }
    Step next;
    if (!programs_[self](next)) {
      process.ended = true;
      return true;
    }
    const bool posted = next.kind == StepKind::post_send || next.kind == StepKind::post_receive;
    process.unwaited += posted ? 1u : 0u;
    switch (next.kind) {
      case StepKind::send:
      case StepKind::post_send:
        send(self, next, posted);
        break;
      case StepKind::receive:
      case StepKind::post_receive:
        receive(self, next, posted);
        break;
      case StepKind::wait_all:
        process.waiting = true;
        process.unwaited = 0;
        break;
      case StepKind::compute:
        if (next.duration.ns < 0) error_ = "computes for less than no time";
        break;
      case StepKind::enter:
        break;
    }
    return true;
  }

  void send(std::uint32_t self, const Step& step, bool posted) {
    if (step.peer.value >= processes_.size()) {
      error_ = std::to_string(self) + " sends to nobody";
      return;
    }
    ++messages_;
    bytes_ += step.bytes;
    const Name name = name_of(self, step.peer.value, step.tag);
    Channel& channel = channels_[name];
    channel.sent.push_back({step.bytes, processes_[self].knows, posted});
    if (sends_ == Sends::synchronous) hold(self, posted);
    match(name, channel);
  }

  void receive(std::uint32_t self, const Step& step, bool posted) {
    const Name name = name_of(step.peer.value, self, step.tag);
    Channel& channel = channels_[name];
    channel.wanted.push_back({step.bytes, posted});
    hold(self, posted);
    match(name, channel);
  }

  void hold(std::uint32_t self, bool posted) {
    if (posted) {
      ++processes_[self].posted;
    } else {
      processes_[self].blocked = true;
    }
  }
  void release(std::uint32_t self, bool posted) {
    if (posted) {
      --processes_[self].posted;
    } else {
      processes_[self].blocked = false;
    }
  }

  void match(Name name, Channel& channel) {
    while (!channel.sent.empty() && !channel.wanted.empty()) {
      const Message message = channel.sent.front();
      const Wanted wanted = channel.wanted.front();
      channel.sent.pop_front();
      channel.wanted.pop_front();
      if (message.bytes != wanted.bytes) {
        error_ = describe(name) + ": " + std::to_string(message.bytes) + " bytes were sent, " +
                 std::to_string(wanted.bytes) + " expected";
        return;
      }
      Process& receiver = processes_[receiver_of(name)];
      (wanted.posted ? receiver.coming : receiver.knows) |= message.knows;
      release(receiver_of(name), wanted.posted);
      if (sends_ == Sends::synchronous) release(sender_of(name), message.posted);
    }
  }

  std::vector<Program> programs_;
  Sends sends_;
  std::vector<Process> processes_;
  std::unordered_map<Name, Channel> channels_;
  std::uint64_t messages_ = 0, bytes_ = 0;
  std::string error_;
};

}  // namespace holdfast::sim
