// A connection of the reliable service: pieces of a message are copied into registered memory,
// posted, and copied out of where the adapter put them. It repeats what is lost by itself, and what
// finds no slot: there are no credits.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "experiments/netpipe/raw_ends.hpp"
#include "experiments/netpipe/verbs_rails.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::uint32_t kQueueKey = 8;  // another one than verbs_rails.cpp has
constexpr std::uint32_t kPieceMost = 32 << 10;
constexpr std::size_t kPieces = 32;  // in each direction

class RawVerbsEnd final : public OrderedEnd {
 public:
  RawVerbsEnd(bool is_first, AddressBoard& board) : memory_(2 * kPieces * std::size_t{kPieceMost}) {
    hw::VerbsOptions options{.port = {}, .queue_key = kQueueKey};
    const std::size_t end = is_first ? 0 : 1;
    need(verbs_port_of(end, 0, options.port));
    options.connections_max = 1;
    options.send_depth = options.receive_depth = kPieces;
    need(hw::open_verbs(options, fabric_));
    piece_bytes_ = std::min(kPieceMost, fabric_->caps().connected_bytes_max);
    region_ = fabric_->register_memory(memory_);
    board.tell(0, end, fabric_->local_address());
    peer_ = fabric_->attach(board.hear(0, 1 - end), Service::connected);
    if (peer_ == kNoPeer) throw EndFailed(name_ + ": there is no way to the other adapter");
    for (std::size_t i = 0; i < kPieces; ++i) offer(i);
    wait_until([&] { return is_attached_; });
    // Whoever is attached first must not turn to other things before the other one is, too.
    const std::array<std::byte, 1> here{};
    std::array<std::byte, 1> there{};
    send(here);
    receive(there);
  }

 private:
  static void need(const Status& status) {
    if (!status.is_ok()) throw EndFailed(status.message());
  }
  std::byte* to_send(std::size_t i) { return memory_.data() + i * kPieceMost; }
  std::byte* received(std::size_t i) { return to_send(kPieces + i); }

  void send(std::span<const std::byte> message) override {
    for (std::size_t done = 0; done < message.size();) {
      wait_until([&] { return posted_ - sent_ < kPieces; });
      Operation operation;
      operation.peer = peer_;
      operation.region = region_;
      operation.data = to_send(posted_ % kPieces);
      operation.size =
          static_cast<std::uint32_t>(std::min<std::size_t>(piece_bytes_, message.size() - done));
      std::memcpy(operation.data, message.data() + done, operation.size);
      done += operation.size;
      ++posted_;
      wait_until([&] { return fabric_->post({&operation, 1}) == 1; });
    }
  }

  void receive(std::span<std::byte> message) override {
    for (std::size_t done = 0; done < message.size();) {
      wait_until([&] { return taken_ < arrived_; });
      const Arrival piece = arrivals_[taken_++ % kPieces];
      if (piece.bytes > message.size() - done) throw EndFailed(name_ + ": a piece is too long");
      std::memcpy(message.data() + done, received(piece.slot), piece.bytes);
      done += piece.bytes;
      offer(piece.slot);
    }
  }

  void offer(std::size_t slot) {
    const ReceiveSlot offered{region_, received(slot), piece_bytes_, slot, Service::connected};
    if (fabric_->offer({&offered, 1}) != 1) throw EndFailed(name_ + ": a slot was not taken");
  }

  template <class Condition>
  void wait_until(const Condition& condition) {
    Patience patience(name_);
    while (!condition()) {
      if (!look()) patience.look_in_vain(false);
    }
  }

  bool look() {
    std::array<Event, 8> events;
    const std::size_t count = fabric_->poll(events);
    for (std::size_t i = 0; i < count; ++i) {
      const Event& event = events[i];
      if (event.kind == EventKind::attached) is_attached_ = true;
      if (event.kind == EventKind::received) {
        arrivals_[arrived_++ % kPieces] = {static_cast<std::size_t>(event.cookie), event.size};
      }
      if (event.kind == EventKind::sent) {
        if (event.completion != Completion::ok) throw EndFailed(name_ + ": a send failed");
        ++sent_;
      }
      if (event.kind == EventKind::peer_down) throw EndFailed(name_ + ": the connection ended");
    }
    return count > 0;
  }

  struct Arrival {
    std::size_t slot = 0;
    std::uint32_t bytes = 0;
  };

  std::string name_ = "raw verbs";
  std::vector<std::byte> memory_;  // pieces to send, and slots; outlives the fabric
  std::unique_ptr<Fabric> fabric_;
  Region region_;
  Peer peer_;
  std::uint32_t piece_bytes_ = 0;
  bool is_attached_ = false;
  std::array<Arrival, kPieces> arrivals_;
  std::uint64_t posted_ = 0, sent_ = 0, arrived_ = 0, taken_ = 0;
};

}  // namespace

std::unique_ptr<End> make_raw_verbs_end(bool is_first, AddressBoard& board) {
  return std::make_unique<RawVerbsEnd>(is_first, board);
}

}  // namespace holdfast::netpipe
