// One process's part in its job, as the public interface has it: the engine on a thread of its own,
// and what the application's threads may ask of it. include/holdfast/holdfast.h has the contract.
//
// The thread owns the engine and the rails; application threads see a copy of the view and the
// verdicts that wait, under one mutex that is never held across a system call that may block.
#pragma once

#include <holdfast/holdfast.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/ground.hpp"
#include "hw/launch/node.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/status/shown_process.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

// A status of the interface with its sentence.
struct [[nodiscard]] Outcome {
  holdfast_status code = HOLDFAST_OK;
  std::string message;
  bool is_ok() const { return code == HOLDFAST_OK; }
};

class Session {
 public:
  // Joins the job whose launcher is at these descriptors, which become the session's.
  static Outcome join(int control, int table, Time until, std::unique_ptr<Session>& joined);
  // Ends the thread, if leave() has not.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // False if not everybody has acknowledged by then.
  bool leave(Time until);

  // False if there is none by then.
  bool next_verdict(Time until, holdfast_verdict& verdict);
  int verdict_descriptor() const { return verdicts_ready_.get(); }

  std::uint32_t self() const { return assignment_.self.value; }
  std::uint32_t processes() const { return assignment_.processes(); }
  std::uint32_t nodes() const { return nodes_; }
  holdfast_member member(std::uint32_t process) const;  // process < processes()
  // Copies all members, unless `members` is null; returns the version.
  std::uint64_t view(holdfast_member* members) const;

 private:
  Session(int control, int table) : control_(control), table_(table) {}

  Outcome prepare(Time until);
  Outcome wait_for_start(Time until);
  Outcome start_thread();
  Outcome wait_until_active(Time until);
  void run();
  bool sleep(Time until);
  void publish(Time now);
  void believe(Time now, const Membership::Change& change);

  Descriptor control_, table_;
  Assignment assignment_;
  Ground ground_;
  std::unique_ptr<NodeProgram> program_;
  std::unique_ptr<ShownProcess> shown_;
  std::uint32_t nodes_ = 0;
  Time start_at_;
  Descriptor bell_;  // wakes the thread
  Sleeper sleeper_;
  std::thread thread_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::vector<holdfast_member> members_;  // by process
  std::uint64_t version_ = 0;
  std::deque<std::uint32_t> order_;        // processes whose verdicts wait, oldest first
  std::vector<holdfast_verdict> waiting_;  // by process; of those in order_
  std::vector<bool> waits_;                // by process: whether in order_
  Descriptor verdicts_ready_;              // an eventfd, readable while order_ is not empty
  bool active_ = false;                    // joined
  bool unanswered_ = false;
  std::uint8_t other_wire_version_ = 0;
  bool leave_wanted_ = false;
  Time leave_until_;
  bool told_ = false;
};

}  // namespace holdfast::hw
