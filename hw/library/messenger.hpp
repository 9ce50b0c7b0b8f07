// The messages of one process, as the public interface has them: an endpoint (stack/reliable) on
// rails of its own, driven inside the application's calls. include/holdfast/holdfast.h has the
// contract.
//
// With the session it shares nothing but what is believed of the processes, and whether this one
// has parted with them: whom the view has as alive is connected, and with whom it has as dead or
// gone all requests end. The session's thread only rings, and acknowledges what has been kept for
// an answer that does not come.
//
// One mutex. A thread that waits takes turns with it; when there is nothing to do it sleeps on the
// rails without it, and the rails are its own until it is awake: who wants to post meanwhile rings
// and waits until it has let go, and who waits too leaves the sleeping, and his request, to it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/library/place.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/status/process_status.hpp"
#include "stack/reliable/answer_habit.hpp"
#include "stack/reliable/endpoint.hpp"
#include "stack/segments/segment_list.hpp"

namespace holdfast::hw {

class Session;

class Messenger {
 public:
  // Requests that have not been waited for to their ends.
  static constexpr std::uint32_t kRequestsMax = 4096;

  // Both must outlive it, and the place must have been taken.
  Messenger(const Session& session, Place& place) : session_(session), place_(place) {}
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  // Opens the rails, so that what is sent to this process is kept until it asks for it. A peer that
  // no rail has led to for `unreachable_max`, or that has not answered: its requests end.
  Outcome open(Duration unreachable_max);

  // A request's number is never 0. Its memory is the library's until wait() has said how it ended.
  Outcome start_send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                     std::span<const std::byte> message, std::uint64_t& number);
  Outcome start_receive(const reliable::Pattern& pattern, std::span<std::byte> memory,
                        std::uint64_t& number);
  // Likewise of memory that is not in one piece. The list is kept until the request is over.
  Outcome start_send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                     std::unique_ptr<const SegmentList> message, std::uint64_t& number);
  Outcome start_receive(const reliable::Pattern& pattern, std::unique_ptr<const SegmentList> memory,
                        std::uint64_t& number);
  // False: it goes on. True: it is over, or there is none of that number; `outcome` says which.
  bool wait(std::uint64_t number, Time until, Outcome& outcome, holdfast_message& message);
  Outcome cancel(std::uint64_t number);
  // False: there is no such message, and `outcome` says if there cannot be one.
  bool probe(const reliable::Pattern& pattern, Time until, Outcome& outcome,
             holdfast_message& message);

  // By the session's thread, whenever it is awake: what has been kept for an answer for long enough
  // is acknowledged. Returns when to come again at the latest; the session is rung where that may
  // become earlier.
  Time acknowledge_kept(Time now);
  // Acknowledges what has come, so that nobody waits for it when this process has left. Waits for
  // nobody: what has been started and not waited for may not arrive.
  void finish();
  // Then, while the session parts with the others and for as long as these hear who has left, or
  // until then: what comes once more is acknowledged once more, which nobody else could do later.
  // Receives that have met nothing are taken back first; what has begun goes on.
  void linger(Time until);
  // From any thread: what is believed has changed.
  void ring() const;
  // For people, from any thread: how the rails are doing. None before the first message and after
  // the end of this process's life.
  void show_rails(std::vector<MessageRailStatus>& rails);

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Record {
    std::uint32_t uses = 0;  // the upper half of its number
    reliable::Request request;
    bool is_used = false;
    bool is_done = false;
    std::uint64_t room = 0;                       // a receive's memory, in bytes
    std::unique_ptr<const SegmentList> segments;  // of memory that is not in one piece
    reliable::Completed completed;
  };

  Status open_rails();
  void begin_life(const holdfast_member& self, Time now);
  void end_life();
  Lock lock();
  Outcome enter(Lock& lock);
  void sleep(Lock& lock, Time until);
  template <class Over>
  bool drive(Lock& lock, Time until, const Over& over);
  void look_anew();
  Time turn(Time now);
  void acknowledge();
  void give_up_keeping(Time now);
  void remind(Time at);
  void look_at_view();
  void follow_view(Time now);
  void hear_leavers(Time now);
  void follow(const holdfast_member& before, const holdfast_member& member, Time now);
  bool is_time_to_part(Time now) const;
  void part_with_leavers(Time now);
  void collect();

  std::uint32_t take_record();
  void give_record(std::uint32_t i);
  Record* find(std::uint64_t number);
  std::uint64_t number_of(std::uint32_t i) const {
    return std::uint64_t{records_[i].uses} << 32 | i;
  }
  // What a request sends, or that it receives.
  struct Sends {
    bool any = false;
    std::uint64_t bytes = 0;
  };
  template <class Begin>
  Outcome start(ProcessId peer, const Sends& sends, std::uint64_t& number, const Begin& begin);
  Outcome refusal(ProcessId peer) const;
  Outcome no_such_request() const;
  void take_receives_back();
  bool is_anybody_live() const;
  bool is_gone(ProcessId peer) const;
  bool is_over(ProcessId peer) const;
  bool is_out_of_reach(ProcessId peer) const;

  const Session& session_;
  Place& place_;
  Descriptor bell_;  // ends the sleep

  std::atomic<std::uint32_t> knocking_{0};  // threads that wait for the mutex
  // When the session's thread looks what is kept; never: nothing has been for a while.
  std::atomic<Time> reminded_at_{Time::never()};

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  bool is_asleep_ = false;      // somebody, with the rails
  std::uint32_t entering_ = 0;  // wait until he is awake

  reliable::EndpointOptions options_;
  Outcome broken_;               // why there is no endpoint
  bool has_first_rails_ = true;  // those that were opened before the first life
  std::unique_ptr<Sleeper> sleeper_;
  std::vector<std::unique_ptr<Fabric>> fabrics_;
  std::vector<Fabric*> rails_;
  std::unique_ptr<reliable::Endpoint> endpoint_;  // from the first call on; stands on the rails
  std::uint64_t followed_ = 0;                    // version of the view
  std::vector<holdfast_member> members_;          // as the endpoint knows them
  std::vector<holdfast_member> believed_;         // room for the next view
  // Who has left in order, and until when what it sent before may still come: the next one first.
  struct Leaver {
    ProcessId peer;
    Incarnation incarnation;
    Time until;
  };
  std::vector<Leaver> leavers_;
  bool may_keep_ = false;  // acknowledgements for answers: these rails take both for one call
  bool has_kept_ = false;  // some, since the session's thread last looked
  reliable::AnswerHabit habit_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_records_;
  std::array<reliable::Completed, 64> ended_;  // room for what a turn has completed
};

}  // namespace holdfast::hw
