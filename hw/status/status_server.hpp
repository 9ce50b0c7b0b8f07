// Shows a process to whoever asks at its unix socket, or at a TCP port of the loopback: the pages
// /metrics (the text format of Prometheus) and /status (JSON). On a thread of its own, so that no
// reader, however slow, many or hostile, takes the engine's thread any time but for a copy of what
// it shows, at most every kFreshFor; nor those who drive messages, but for such a look at them.
//
// Each listening socket serves at most kReadersMax at a time, for kReaderTime each; who comes
// beyond waits in the kernel. What others send changes nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/status/connection.hpp"
#include "hw/status/status_board.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

// Replaces what is known of the rails that carry a process's messages. Called by the server's
// thread, which it may hold up for a turn of theirs.
using ShowMessageRails = std::function<void(std::vector<MessageRailStatus>&)>;

class StatusServer {
 public:
  static constexpr std::size_t kReadersMax = 8;
  static constexpr Duration kReaderTime = seconds(3);
  static constexpr Duration kFreshFor = milliseconds(20);

  // Begins to serve at sockets that listen. The board must outlive the server, and so must what
  // shows messages, if there are any. An error says what the system refused.
  Status start(StatusBoard& board, ShowMessageRails messages, std::vector<Descriptor> listening);
  // Ends the thread.
  ~StatusServer();
  StatusServer() = default;
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;

 private:
  struct Door {
    Descriptor listening;
    std::list<Connection> readers;
  };

  void run();
  void wait();
  void accept(Door& door);
  void serve(Connection& reader);
  void answer(Connection& reader);

  StatusBoard* board_ = nullptr;
  ShowMessageRails messages_;  // empty: there are none
  std::vector<Door> doors_;
  Descriptor stop_;  // an eventfd
  ProcessStatus status_;
  bool asked_ = false;
  Time now_;          // of this round of the loop
  Time fresh_until_;  // of status_; before that another question need not be asked
  Time rests_until_;  // nobody is let in before
  std::thread thread_;
};

}  // namespace holdfast::hw
