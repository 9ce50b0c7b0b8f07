// One process's part in its job, as the public interface has it: the engine on a thread of its own,
// and what the application's threads may ask of it. include/holdfast/holdfast.h has the contract.
//
// The thread owns the engine and the rails; application threads see a copy of the view and the
// verdicts that wait, under one mutex that is never held across a system call that may block.
// Messages are no business of the thread's, but for acknowledgements that were kept for an answer
// which has not come: see messenger.hpp.
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
#include <utility>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/launch/node.hpp"
#include "hw/library/messenger.hpp"
#include "hw/library/place.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/status/shown_process.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

class Session {
 public:
  // Joins the job in which this is a place.
  static Outcome join(std::unique_ptr<Place> place, Time until, std::unique_ptr<Session>& joined);
  // Ends the thread, if leave() has not.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // False if not everybody has acknowledged by then.
  bool leave(Time until);

  // False if there is none by then.
  bool next_verdict(Time until, holdfast_verdict& verdict);
  int verdict_descriptor() const { return verdicts_ready_.get(); }

  std::uint32_t self() const { return self_; }
  std::uint32_t processes() const { return static_cast<std::uint32_t>(members_.size()); }
  std::uint32_t nodes() const { return nodes_; }
  holdfast_member member(std::uint32_t process) const;  // process < processes()
  // Copies all members, unless `members` is null; returns the version.
  std::uint64_t view(holdfast_member* members) const;
  // Of the view, without waiting for anyone.
  std::uint64_t version() const { return version_shown_; }
  // The thread is at its end: everybody who is to know that this process leaves does, or there was
  // no more time for it.
  bool has_parted() const { return has_parted_; }
  // The thread looks again when it is to do what. From any thread.
  void wake() const;

  Messenger& messenger() { return messenger_; }

 private:
  explicit Session(std::unique_ptr<Place> place)
      : place_(std::move(place)), messenger_(*this, *place_) {}

  Outcome prepare(Time until);
  Outcome start_thread();
  Outcome wait_until_active(Time until);
  void run();
  bool sleep(Time until);
  void publish(Time now);
  void believe(Time now, const Membership::Change& change);

  std::unique_ptr<Place> place_;
  Messenger messenger_;
  std::atomic<std::uint64_t> version_shown_{0};  // version_
  std::atomic<bool> has_parted_{false};
  std::unique_ptr<NodeProgram> program_;
  Descriptor bell_;  // wakes the thread; rung by those who look at the process, too
  std::unique_ptr<ShownProcess> shown_;
  std::uint32_t self_ = 0;
  std::uint32_t nodes_ = 0;
  Time start_at_;
  Sleeper sleeper_;
  std::thread thread_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::vector<holdfast_member> members_;  // by process; their number does not change
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
