// A receiver's segment as a process has it mapped, and the bell that wakes its owner.
//
// The segment is a file in a directory of shared memory, and its name is the owner's address: a
// process that comes back under the same address is found by the same name. The owner holds a lock
// on the file for as long as it lives, however it ends. A successor marks what its predecessor left
// as closed, and takes the name with a new file; so nobody ever reads memory that two owners wrote.
//
// The bell is a fifo beside it. All who use it open it for reading and writing, so that ringing
// never fails for want of a reader.
#pragma once

#include <cstddef>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/shm/shm_layout.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class ShmSegment {
 public:
  ShmSegment() = default;
  ShmSegment(ShmSegment&& other) noexcept { *this = std::move(other); }
  ShmSegment& operator=(ShmSegment&& other) noexcept;
  ~ShmSegment() { release(); }

  // Makes and owns `directory`/`name`. An error says why it cannot: somebody who lives has the
  // name, no room, no permission. When the owner is destroyed the name is gone.
  static Status create(const std::string& directory, const std::string& name,
                       const ShmGeometry& geometry, ShmSegment& created);
  // Maps somebody's. False if there is none, if others than this user may write to it, or if it is
  // not what it should be.
  static bool open(const std::string& directory, const std::string& name, ShmSegment& opened);

  bool is_mapped() const { return base_ != nullptr; }
  const ShmGeometry& geometry() const { return geometry_; }
  ShmHeader& header() const { return *reinterpret_cast<ShmHeader*>(base_); }
  ShmLane& lane(std::uint32_t lane) const {
    return reinterpret_cast<ShmLane*>(base_ + sizeof(ShmHeader))[lane];
  }
  // Valid once memory was reserved for the lane.
  ShmCell& cell(std::uint32_t lane, std::uint32_t index) const {
    return *reinterpret_cast<ShmCell*>(base_ + head_bytes_ + lane * lane_bytes_ +
                                       (index & (geometry_.frames - 1)) * cell_bytes_);
  }
  static std::byte* frame_of(ShmCell& cell) { return reinterpret_cast<std::byte*>(&cell + 1); }

  // Has the kernel set memory aside for the frames of a lane, without which touching them could end
  // the process when memory is short. False if there is none.
  bool reserve(std::uint32_t lane) const;

  int bell() const { return bell_.get(); }
  void ring() const;
  void silence() const;

 private:
  bool map(std::size_t bytes);
  bool open_bell();
  void release();
  void set_geometry(const ShmGeometry& geometry);

  Descriptor file_;
  Descriptor bell_;
  std::byte* base_ = nullptr;
  ShmGeometry geometry_;  // a copy: the one in the segment may be overwritten
  std::size_t head_bytes_ = 0, lane_bytes_ = 0, cell_bytes_ = 0;  // of that
  std::string path_;
  bool owned_ = false;
};

}  // namespace holdfast::hw
