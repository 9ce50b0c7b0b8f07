// How long the rings of shared memory are in which a job's messages travel.
#pragma once

#include <cstdint>
#include <string>

#include "hw/shm/shm_layout.hpp"

namespace holdfast::hw {

// Of so many processes, each with so many rails, over a file system of that size, used or not: the
// same for all of them. Long frames, and lanes that hold all that may be under way, a mebibyte
// each; but if those of all processes would take more than a quarter of what there is to share,
// short ones, where what finds no room waits.
ShmGeometry lanes_for_messages(std::uint32_t processes, std::size_t rails,
                               std::uint64_t file_system_bytes);

// Of a directory; 0: unknown.
std::uint64_t file_system_bytes_at(const std::string& directory);

}  // namespace holdfast::hw
