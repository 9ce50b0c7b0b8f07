// How parts of a fabric are named in files and by people: GUIDs, `GUID[port]`, and the node-name
// map that InfiniBand's tools use. Descriptions repeat in real fabrics, GUIDs do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "stack/base/excerpt.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

// A GUID as this project writes it: 0x and 16 hexadecimal digits.
std::string guid_text(std::uint64_t guid);

// Hexadecimal digits only, 1 to 16 of them.
std::optional<std::uint64_t> parse_hex(std::string_view digits);

// Decimal digits only, at most `largest`.
std::optional<std::uint64_t> parse_decimal(std::string_view digits, std::uint64_t largest);

// A GUID as a person writes it: with or without 0x, leading zeros, or ibnetdiscover's S-, H- or R-;
// followed, if at all, by [port].
struct PartReference {
  std::uint64_t guid = 0;
  std::optional<std::uint32_t> port;  // 1 … 65535
};
std::optional<PartReference> parse_part(std::string_view text);

// A node-name map: GUID to name.
using NodeNames = std::map<std::uint64_t, std::string>;

// Reads lines of 0xGUID "name"; # starts a comment. A wrong line is named by file and line. A GUID
// may occur once. `names` is changed on success only.
Status parse_node_names(std::string_view text, const std::string& file_name, NodeNames& names);

// Collects the errors of one file, so that a user can mend all of them in one go: the first 20 with
// place and expectation, then how many more there are.
class ErrorList {
 public:
  explicit ErrorList(std::string file_name) : file_name_(std::move(file_name)) {}
  void add(std::size_t line, const std::string& message);
  bool empty() const { return count_ == 0; }
  Status status() const;

 private:
  static constexpr std::size_t kShown = 20;
  std::string file_name_;
  std::string text_;
  std::size_t count_ = 0;
};

}  // namespace holdfast::sim
