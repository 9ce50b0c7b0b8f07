// PMIx_Init, then PMIx_Put, PMIx_Commit, PMIx_Fence and PMIx_Get.
#include "hw/launch/pmix_meeting.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "hw/blocked_signals.hpp"
#include "hw/launch/pmix_entry.hpp"
#include "hw/launch/pmix_library.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

namespace {

constexpr char kKey[] = "holdfast.introduction";
constexpr Duration kFarewell = seconds(2);

// The library's handler can be given no data that outlives a meeting: the end of a pipe.
std::atomic<int> lost_writer{-1};

void on_lost(std::size_t, int, const PmixProcess*, PmixInfo*, std::size_t, PmixInfo*, std::size_t,
             PmixDone done, void* data) {
  if (const int writer = lost_writer.exchange(-1); writer >= 0) ::close(writer);
  if (done != nullptr) done(kPmixHandled, nullptr, 0, nullptr, nullptr, data);
}

bool any_is_set(std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

std::uint32_t first_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return kLoopback;
  std::uint32_t found = kLoopback;
  for (const ifaddrs* one = all; one != nullptr && found == kLoopback; one = one->ifa_next) {
    const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_up || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    found = ntohl(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace

// What the thread of a call that may never come back works on.
struct PmixMeeting::Shared {
  PmixLibrary library;
  PmixProcess self{};
  std::uint32_t processes = 0;
  std::uint32_t here = 0;  // of them on this machine
  std::vector<std::byte> mine;
  std::vector<std::vector<std::byte>> entries;  // by rank
  std::string problem;

  void connect();
  void exchange();

 private:
  bool worked(int status, const char* what);
  bool ask_number(const char* key, std::uint32_t& number);
  bool ask_entry(std::uint32_t rank);
};

bool PmixMeeting::Shared::worked(int status, const char* what) {
  if (status != 0) problem = std::string(what) + ": " + library.error_text(status);
  return status == 0;
}

bool PmixMeeting::Shared::ask_number(const char* key, std::uint32_t& number) {
  PmixProcess job = self;
  job.rank = kPmixEverybody;
  PmixValue* value = nullptr;
  if (!worked(library.get(&job, key, nullptr, 0, &value), key)) return false;
  const bool is_number = value->type == kPmixUint32;
  if (is_number) number = value->number;
  if (!is_number) problem = std::string(key) + " is no number";
  std::free(value);  // as the library has made it
  return is_number;
}

void PmixMeeting::Shared::connect() {
  if (!worked(library.init(&self, nullptr, 0), "PMIx_Init")) return;
  int lost = kPmixLostConnection;
  // What it gives back is a number of the handler, or an error that begins at minus one.
  if (library.register_handler(&lost, 1, nullptr, 0, on_lost, nullptr, nullptr) < 0) {
    problem = "PMIx_Register_event_handler does not work";
    return;
  }
  if (ask_number("pmix.job.size", processes)) ask_number("pmix.local.size", here);
}

bool PmixMeeting::Shared::ask_entry(std::uint32_t rank) {
  PmixProcess other = self;
  other.rank = rank;
  PmixValue* value = nullptr;
  if (!worked(library.get(&other, kKey, nullptr, 0, &value), "PMIx_Get")) {
    problem += "; process " + std::to_string(rank) + " has not joined";
    return false;
  }
  if (value->type == kPmixByteObject && value->object.bytes != nullptr) {
    const auto bytes = std::as_bytes(std::span(value->object.bytes, value->object.size));
    entries.emplace_back(bytes.begin(), bytes.end());
    std::free(value->object.bytes);
  } else {
    entries.emplace_back();
  }
  std::free(value);
  return true;
}

void PmixMeeting::Shared::exchange() {
  PmixValue value{};
  value.type = kPmixByteObject;
  value.object = {reinterpret_cast<char*>(mine.data()), mine.size()};
  PmixInfo collect{};  // the fence hands everything to everybody
  std::strcpy(collect.key, "pmix.collect");
  collect.value.type = kPmixBool;
  collect.value.flag = true;
  if (!worked(library.put(kPmixGlobal, kKey, &value), "PMIx_Put") ||
      !worked(library.commit(), "PMIx_Commit") ||
      !worked(library.fence(nullptr, 0, &collect, 1), "PMIx_Fence")) {
    return;
  }
  for (std::uint32_t rank = 0; rank < processes && ask_entry(rank); ++rank) {
  }
}

bool PmixMeeting::is_there(std::string& why_not) {
  if (any_is_set({"PMIX_NAMESPACE"}) && any_is_set({"PMIX_RANK"})) return true;
  if (any_is_set({"PMI_RANK", "PMI_FD"})) {
    why_not =
        "what has started this process speaks PMI and not PMIx, as MPICH's mpirun does; use "
        "mpirun of Open MPI or srun --mpi=pmix";
  } else if (any_is_set({"SLURM_PROCID"})) {
    why_not = "srun has started this process without PMIx; use srun --mpi=pmix";
  } else {
    why_not = "this process was not started under PMIx; use mpirun of Open MPI or srun --mpi=pmix";
  }
  return false;
}

PmixMeeting::PmixMeeting() : shared_(std::make_shared<Shared>()) {}

PmixMeeting::~PmixMeeting() {
  if (reached_ && !waits_) {
    done_by(monotonic_now() + kFarewell,
            [](Shared& shared) { shared.library.finalize(nullptr, 0); });
  }
  if (const int writer = lost_writer.exchange(-1); writer >= 0) ::close(writer);
}

bool PmixMeeting::done_by(Time until, std::function<void(Shared&)> work) {
  struct Call {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const auto call = std::make_shared<Call>();
  bool begun = true;
  try {
    const BlockedSignals all;  // for the thread, and for those that the library makes in it
    std::thread([call, work = std::move(work), shared = shared_] {
      work(*shared);
      const std::lock_guard lock(call->mutex);
      call->done = true;
      call->changed.notify_one();
    }).detach();
  } catch (const std::system_error&) {
    begun = false;  // the system has no thread left
  }
  if (!begun) return false;
  // libstdc++'s steady clock is CLOCK_MONOTONIC.
  const std::chrono::steady_clock::time_point at{std::chrono::nanoseconds(until.ns)};
  std::unique_lock lock(call->mutex);
  waits_ = !call->changed.wait_until(lock, at, [&] { return call->done; });
  return !waits_;
}

Met PmixMeeting::late(const char* what) {
  return Met::failed(std::string(what) +
                     "; every process that mpirun or srun starts in one job "
                     "must be holdfast node or join by the library, and all of them must live");
}

Met PmixMeeting::reach(std::uint32_t processes, Time until) {
  if (std::string wrong = shared_->library.load(); !wrong.empty()) return Met::refused(wrong);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Met::failed("cannot make a pipe");
  lifeline_ = Descriptor(ends[0]);
  lost_writer = ends[1];
  if (!done_by(until, &Shared::connect)) return late("PMIx has not answered in time");
  if (!shared_->problem.empty()) return Met::failed("PMIx: " + shared_->problem);
  reached_ = true;
  if (processes == kAnyNumber || shared_->processes == processes) return {};
  return Met::refused("the configuration is for " + std::to_string(processes) + " processes, and " +
                      std::to_string(shared_->processes) +
                      " were started; give mpirun or srun -n " + std::to_string(processes) +
                      ", or change topology and processes.per_node");
}

ProcessId PmixMeeting::self() const {
  return {shared_->self.rank};
}

std::uint32_t PmixMeeting::processes() const {
  return shared_->processes;
}

IpAddress PmixMeeting::local_ip() const {
  return shared_->here == shared_->processes ? kLoopback : first_address();
}

Met PmixMeeting::meet(const Introduction& introduction, Time until, MetJob& job) {
  MetJob given;
  if (self().value == 0) {
    if (introduction.key) given.key = *introduction.key;
    if (!draw(std::as_writable_bytes(std::span(&given.number, 1))) ||
        (!introduction.key && !draw(given.key.bytes))) {
      return Met::failed("cannot draw the job's key");
    }
  }
  shared_->mine = encode_pmix_entry(introduction, given);
  if (!done_by(until, &Shared::exchange)) return late("not all processes have joined in time");
  if (!shared_->problem.empty()) return Met::failed("PMIx: " + shared_->problem);
  job = MetJob{};
  for (std::uint32_t rank = 0; rank < shared_->processes; ++rank) {
    Met read = read_pmix_entry(shared_->entries[rank], rank, introduction, job);
    if (!read.is_ok()) return read;
  }
  if (introduction.key && introduction.key->bytes != job.key.bytes) {
    return Met::refused("process 0 has another key than this one; give the same to all, or none");
  }
  return {};
}

}  // namespace holdfast::hw
