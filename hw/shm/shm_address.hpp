// Addresses of the shared-memory fabric: "shm:" and the name of the receiver's segment.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "stack/fabric.hpp"

namespace holdfast::hw {

constexpr std::string_view kShmScheme = "shm:";
constexpr std::size_t kShmNameMax = Address::kBytesMax - kShmScheme.size();

// A name is part of a path: letters, digits, '.', '-' and '_', not beginning with '.'.
inline bool is_shm_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kShmNameMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), allowed);
}

// `name` must be one.
inline Address to_shm_address(std::string_view name) {
  Address address;
  std::memcpy(address.bytes.data(), kShmScheme.data(), kShmScheme.size());
  std::memcpy(address.bytes.data() + kShmScheme.size(), name.data(), name.size());
  address.size = static_cast<std::uint8_t>(kShmScheme.size() + name.size());
  return address;
}

// Absent if the bytes are not an address of this fabric.
inline std::optional<std::string> to_shm_name(const Address& address) {
  const std::string_view text(reinterpret_cast<const char*>(address.bytes.data()), address.size);
  if (!text.starts_with(kShmScheme)) return std::nullopt;
  const std::string_view name = text.substr(kShmScheme.size());
  if (!is_shm_name(name)) return std::nullopt;
  return std::string(name);
}

}  // namespace holdfast::hw
