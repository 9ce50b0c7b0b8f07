// Each fact is one atomic word, so that a reader never sees the number of one life with the start
// time of another.
#include "hw/launch/process_table.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr unsigned kPidBits = 22;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "shared between processes");

Status failure(const char* what) {
  return Status::error(std::string("cannot ") + what +
                       " the table of processes: " + std::strerror(errno));
}

}  // namespace

ProcessTable::~ProcessTable() {
  if (entries_ != nullptr) ::munmap(entries_, processes_ * sizeof *entries_);
}

Status ProcessTable::create(std::uint32_t processes) {
  memory_ = Descriptor(::memfd_create("holdfast-processes", MFD_CLOEXEC));
  const auto bytes = static_cast<off_t>(processes * sizeof *entries_);
  if (!memory_.is_open() || ::ftruncate(memory_.get(), bytes) != 0) return failure("create");
  return map_shared(processes, true);
}

// Memory beyond the end of a file could be mapped, and would end whoever looks at it.
Status ProcessTable::map(int descriptor, std::uint32_t processes) {
  memory_ = Descriptor(descriptor);
  struct stat about {};
  if (::fstat(memory_.get(), &about) != 0) return failure("look at");
  if (static_cast<std::uint64_t>(about.st_size) < processes * sizeof *entries_) {
    return Status::error("the table of processes is too short for a job of " +
                         std::to_string(processes));
  }
  return map_shared(processes, false);
}

Status ProcessTable::map_shared(std::uint32_t processes, bool writable) {
  void* memory =
      ::mmap(nullptr, processes * sizeof *entries_, writable ? PROT_READ | PROT_WRITE : PROT_READ,
             MAP_SHARED, memory_.get(), 0);
  if (memory == MAP_FAILED) return failure("map");
  entries_ = static_cast<Entry*>(memory);
  processes_ = processes;
  return Status::ok();
}

void ProcessTable::set(ProcessId process, const ProcessIdentity& identity) {
  HOLDFAST_ASSERT(process.value < processes_);
  entries_[process.value].identity.store(identity.start_ticks << kPidBits |
                                         static_cast<std::uint64_t>(identity.pid));
}

std::optional<ProcessIdentity> ProcessTable::get(ProcessId process) const {
  HOLDFAST_ASSERT(process.value < processes_);
  const std::uint64_t entry = entries_[process.value].identity.load();
  if (entry == 0) return std::nullopt;
  return ProcessIdentity{static_cast<std::int32_t>(entry & ((1u << kPidBits) - 1)),
                         entry >> kPidBits};
}

void ProcessTable::set_queue_pair(ProcessId process, std::size_t rail, std::uint32_t number) {
  HOLDFAST_ASSERT(process.value < processes_ && rail < kRailsMax);
  entries_[process.value].queue_pairs[rail].store(number);
}

std::uint32_t ProcessTable::queue_pair(ProcessId process, std::size_t rail) const {
  HOLDFAST_ASSERT(process.value < processes_ && rail < kRailsMax);
  return entries_[process.value].queue_pairs[rail].load();
}

void ProcessTable::set_message_queue_pair(ProcessId process, std::size_t rail,
                                          std::uint32_t number) {
  HOLDFAST_ASSERT(process.value < processes_ && rail < kRailsMax);
  entries_[process.value].message_queue_pairs[rail].store(number);
}

std::uint32_t ProcessTable::message_queue_pair(ProcessId process, std::size_t rail) const {
  HOLDFAST_ASSERT(process.value < processes_ && rail < kRailsMax);
  return entries_[process.value].message_queue_pairs[rail].load();
}

}  // namespace holdfast::hw
