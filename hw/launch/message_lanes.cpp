// One choice between two.
#include "hw/launch/message_lanes.hpp"

#include <sys/statvfs.h>

#include "stack/reliable/message_frame.hpp"

namespace holdfast::hw {

ShmGeometry lanes_for_messages(std::uint32_t processes, std::size_t rails,
                               std::uint64_t file_system_bytes) {
  constexpr std::uint32_t kFragment = 16 << 10;
  ShmGeometry lanes;
  lanes.frame_bytes = kFragment + static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
  const std::uint64_t count = std::uint64_t{processes} * (processes - 1) * rails;
  const std::uint64_t bytes = count * lanes.frames * lanes.frame_bytes;
  return bytes <= file_system_bytes / 4 ? lanes : ShmGeometry{};
}

std::uint64_t file_system_bytes_at(const std::string& directory) {
  struct statvfs its {};
  if (::statvfs(directory.c_str(), &its) != 0) return 0;
  return std::uint64_t{its.f_blocks} * its.f_frsize;
}

}  // namespace holdfast::hw
