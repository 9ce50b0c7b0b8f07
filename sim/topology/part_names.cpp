// Names of parts of a fabric; see the header.
#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string guid_text(std::uint64_t guid) {
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(guid >> shift) & 15];
  return text;
}

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  if (digits.empty() || digits.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = hex_digit(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

std::optional<std::uint64_t> parse_decimal(std::string_view digits, std::uint64_t largest) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > largest || value > (largest - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::optional<PartReference> parse_part(std::string_view text) {
  PartReference part;
  if (!text.empty() && text.back() == ']') {
    const std::size_t open = text.rfind('[');
    if (open == std::string_view::npos) return std::nullopt;
    const auto port = parse_decimal(text.substr(open + 1, text.size() - open - 2), 65'535);
    if (!port || *port == 0) return std::nullopt;
    part.port = static_cast<std::uint32_t>(*port);
    text = text.substr(0, open);
  }
  for (const std::string_view prefix : {"0x", "0X", "S-", "H-", "R-"}) {
    if (text.substr(0, 2) == prefix) {
      text = text.substr(2);
      break;
    }
  }
  const auto guid = parse_hex(text);
  if (!guid) return std::nullopt;
  part.guid = *guid;
  return part;
}

Status parse_node_names(std::string_view text, const std::string& file_name, NodeNames& names) {
  ErrorList errors(file_name);
  NodeNames found;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t open = line.find('"');
    const std::size_t close = line.find('"', open == std::string_view::npos ? open : open + 1);
    const std::string_view guid_part = trim(line.substr(0, open));
    const std::string_view rest =
        close == std::string_view::npos ? std::string_view{} : trim(line.substr(close + 1));
    const auto guid =
        guid_part.substr(0, 2) == "0x" ? parse_hex(guid_part.substr(2)) : std::nullopt;
    if (!guid || close == std::string_view::npos || close == open + 1 ||
        (!rest.empty() && rest.front() != '#')) {
      errors.add(number,
                 "expected a GUID and a name, such as 0x0002c90300048248 \"node17\", not '" +
                     excerpt(line) + "'");
      continue;
    }
    const std::string name(line.substr(open + 1, close - open - 1));
    if (!found.emplace(*guid, name).second) {
      errors.add(number, guid_text(*guid) + " has a name already; leave one line for each GUID");
    }
  }
  if (errors.empty()) names = std::move(found);
  return errors.status();
}

void ErrorList::add(std::size_t line, const std::string& message) {
  if (++count_ > kShown) return;
  if (!text_.empty()) text_ += '\n';
  text_ += file_name_ + ":" + std::to_string(line) + ": " + message;
}

Status ErrorList::status() const {
  if (empty()) return Status::ok();
  if (count_ <= kShown) return Status::error(text_);
  return Status::error(text_ + "\n" + file_name_ + ": and " + std::to_string(count_ - kShown) +
                       " errors more");
}

}  // namespace holdfast::sim
