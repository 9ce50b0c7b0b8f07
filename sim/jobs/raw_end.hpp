// One process's end of unprotected messages, as an MPI library sends them over adapters that read
// and write memory by themselves: a short message travels at once; a long one is asked for, the
// receiver's adapter gets it from the sender's memory, and the sender is told that it has been got
// (Open MPI's rendezvous by RDMA GET). Nothing is acknowledged, repeated or summed up.
//
// The adapter handles its frames whatever its process does; matching takes the process. It sends
// the long messages that it has been asked for by turns, a frame of each, and nothing else waits
// for more than two of these frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sim/jobs/message_port.hpp"
#include "sim/jobs/player.hpp"
#include "sim/pipe/pipe_network.hpp"

namespace holdfast::sim {

class RawEnd final : public MessagePort {
 public:
  static constexpr std::uint32_t kHeaderBytes = 32;

  // Messages up to `short_bytes_max` travel at once; they never complete.
  RawEnd(PipeNetwork& network, ProcessId self, std::uint64_t short_bytes_max);

  bool send(ProcessId to, std::uint32_t tag, std::uint64_t bytes, std::uint64_t cookie) override;
  bool receive(ProcessId from, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t cookie) override;

  // The adapter handles what has come.
  void poll();
  // The process handles what its adapter has for it. True: something has completed.
  bool look(Player& player);

 private:
  enum class Kind : std::uint8_t { message, request, get, data, done };
  struct Header {
    Kind kind = Kind::message;
    bool is_last = true;  // frame of a message or of data
    std::uint32_t from = 0;
    std::uint32_t tag = 0;
    std::uint32_t sending = 0;  // numbers of the two ends of a long message
    std::uint32_t receiving = 0;
    std::uint64_t bytes = 0;  // of the whole message
  };
  struct Sending {
    ProcessId to;
    std::uint64_t bytes = 0;
    std::uint64_t cookie = 0;
  };
  struct Receiving {
    std::uint64_t cookie = 0;
    Header request;
  };
  // Messages and requests, or receives, that wait for the other, by sender and tag.
  using Envelope = std::pair<std::uint32_t, std::uint32_t>;
  template <class T>
  using Waiting = std::map<Envelope, std::deque<T>>;

  // A long message of which `left` bytes are yet to be sent.
  struct Got {
    Header header;
    ProcessId to;
    std::uint64_t left = 0;
  };

  std::uint32_t payload_max() const;
  std::byte* memory(std::size_t frame);
  void post(ProcessId to, const Header& header, std::uint64_t bytes);
  void post_frame(ProcessId to, const Header& header, std::uint32_t payload, std::size_t frame);
  void send_got();
  void offer();
  void arrived(const Header& header);
  void handle(const Header& header);
  void meet(const Header& header, std::uint64_t cookie);

  PipeNetwork& network_;
  ProcessId self_;
  std::uint64_t short_bytes_max_;
  std::vector<std::byte> frames_;  // what comes; what is posted inline; frames of long messages
  std::vector<std::size_t> free_;  // of the latter
  std::deque<Got> got_;            // the first one is next
  std::uint32_t numbers_ = 0;
  std::map<std::uint32_t, Sending> sendings_;
  std::map<std::uint32_t, Receiving> receivings_;
  Waiting<Header> unexpected_;
  Waiting<std::uint64_t> receives_;  // their cookies
  std::vector<Header> for_process_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> completed_;  // cookie, bytes
};

}  // namespace holdfast::sim
