// The lines of `ibnetdiscover`; see the header.
#include "sim/topology/ibnetdiscover_reader.hpp"

#include <optional>
#include <utility>

#include "sim/topology/link_rate.hpp"

namespace holdfast::sim {

namespace {

constexpr const char* kSectionForm =
    "a section such as: Switch 36 \"S-0002c90200417670\" # \"description\" ... (or Ca, or Rt)";
constexpr const char* kPortForm =
    "a port such as: [5] \"S-0002c90200417670\"[15] # \"description\" lid 16 4xQDR";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Reads a line from left to right. Each take_ function either consumes what it names and says so,
// or leaves the line as it was.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  std::string_view rest() const { return rest_; }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view take_word() {
    std::size_t end = 0;
    while (end < rest_.size() && !is_blank(rest_[end])) ++end;
    return take(end);
  }

  // The text between `open` and `close`, if `open` comes next.
  std::optional<std::string_view> take_enclosed(char open, char close) {
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    const std::size_t end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    return take(end + 1).substr(1, end - 1);
  }

  std::optional<std::uint32_t> take_port() {
    const Scanner before = *this;
    const auto text = take_enclosed('[', ']');
    const auto port = text ? parse_decimal(*text, kIbPortsMax) : std::nullopt;
    if (!port || *port == 0) {
      *this = before;
      return std::nullopt;
    }
    take_external_port();
    return static_cast<std::uint32_t>(*port);
  }

  // "S-0002c90200417670" in quotation marks.
  std::optional<std::uint64_t> take_device() {
    const auto name = take_enclosed('"', '"');
    if (!name || name->size() < 3 || (*name)[1] != '-') return std::nullopt;
    return parse_hex(name->substr(2));
  }

  // (2c90300080e85): the GUID of a port. False if there are parentheses with something else.
  bool take_port_guid(std::uint64_t& guid) {
    if (rest_.empty() || rest_.front() != '(') return true;
    const auto text = take_enclosed('(', ')');
    const auto value = text ? parse_hex(*text) : std::nullopt;
    if (value) guid = *value;
    return value.has_value();
  }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  // [ext 5]: the number printed on a chassis, which -g adds.
  void take_external_port() {
    if (rest_.substr(0, 4) == "[ext") take_enclosed('[', ']');
  }

  std::string_view rest_;
};

// A description may hold quotation marks and '#'; it ends at the last quotation mark of its line.
std::string_view description_in(std::string_view comment) {
  const std::size_t open = comment.find('"');
  const std::size_t close = comment.rfind('"');
  if (open == close) return {};
  return comment.substr(open + 1, close - open - 1);
}

class Reader {
 public:
  explicit Reader(ErrorList& errors) : errors_(errors) {}

  std::vector<DeviceSection> read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end));
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return std::move(sections_);
  }

 private:
  void read_line(std::string_view line) {
    Scanner scanner(line);
    scanner.skip_blanks();
    const std::string_view rest = scanner.rest();
    if (rest.empty() || rest.front() == '#') return;
    if (rest.front() == '[') {
      read_port(scanner);
    } else {
      read_other(scanner);
    }
  }

  // vendid=0x2c9, switchguid=0x2c90200417670(2c90200417670), the headings of -g, or a section.
  void read_other(Scanner scanner) {
    const std::string_view line = scanner.rest();
    const std::string_view word = scanner.take_word();
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      read_value(word.substr(0, equals), word.substr(equals + 1));
      read_place(scanner.rest());
    } else if (word != "Chassis" && word != "Non-Chassis") {
      read_section(word, scanner, line);
    }
  }

  void read_value(std::string_view key, std::string_view value) {
    const bool system = key == "sysimgguid";
    const bool own = key == "switchguid" || key == "caguid" || key == "rtguid";
    if (!system && !own) return;
    value = value.substr(0, value.find('('));
    const auto guid = value.substr(0, 2) == "0x" ? parse_hex(value.substr(2)) : std::nullopt;
    if (!guid) {
      error("expected " + std::string(key) + "=0x and a GUID, not '" + excerpt(value) + "'");
    } else {
      (system ? system_guid_ : own_guid_) = *guid;
    }
  }

  // What -g adds behind the GUIDs: "# Chassis 1", "# ISR9288 Line 3 Chip 1".
  void read_place(std::string_view comment) {
    const auto number_after = [&](std::string_view word) -> std::optional<std::uint64_t> {
      const std::size_t at = comment.find(word);
      if (at == std::string_view::npos) return std::nullopt;
      return parse_decimal(Scanner(comment.substr(at + word.size())).take_word(), 0xffff);
    };
    if (const auto chassis = number_after("# Chassis "))
      chassis_ = static_cast<std::uint32_t>(*chassis);
    for (const auto& [word, name] :
         {std::pair{" Line ", "line-"}, {" Spine ", "spine-"}, {" SRBD ", "srbd-"}}) {
      if (const auto slot = number_after(word)) board_ = name + std::to_string(*slot);
    }
  }

  void read_section(std::string_view word, Scanner scanner, std::string_view line) {
    DeviceSection section;
    section.line = line_;
    section.kept = word == "Switch" || word == "Ca" || word == "Rt";
    section.kind = word == "Switch" ? DeviceKind::switch_chip
                   : word == "Rt"   ? DeviceKind::router
                                    : DeviceKind::adapter;
    scanner.skip_blanks();
    const auto ports = parse_decimal(scanner.take_word(), kIbPortsMax);
    scanner.skip_blanks();
    const auto guid = scanner.take_device();
    scanner.skip_blanks();
    in_section_ = true;
    section_is_wrong_ =
        !ports || !guid || (!scanner.rest().empty() && scanner.rest().front() != '#');
    if (section_is_wrong_) {
      error(std::string("expected ") + kSectionForm + ", not '" + excerpt(line) + "'");
    } else {
      if (own_guid_ != 0 && own_guid_ != *guid) {
        error("the section is of " + guid_text(*guid) + ", the line before it of " +
              guid_text(own_guid_) + "; expected the same GUID");
      }
      section.port_count = static_cast<std::uint32_t>(*ports);
      section.guid = *guid;
      section.system_guid = system_guid_;
      section.chassis = chassis_;
      section.board = std::move(board_);
      section.description = description_in(scanner.rest());
      sections_.push_back(std::move(section));
    }
    system_guid_ = 0;
    own_guid_ = 0;
    chassis_ = 0;
    board_.clear();
  }

  void read_port(Scanner scanner) {
    const std::string_view line = scanner.rest();
    PortLine port;
    port.line = line_;
    const auto number = scanner.take_port();
    bool right = number.has_value() && scanner.take_port_guid(port.port_guid);
    scanner.skip_blanks();
    const auto peer = scanner.take_device();
    const auto peer_port = scanner.take_port();
    std::uint64_t peer_port_guid = 0;
    right = right && peer && peer_port && scanner.take_port_guid(peer_port_guid);
    scanner.skip_blanks();
    if (!right || scanner.rest().empty() || scanner.rest().front() != '#') {
      return error(std::string("expected ") + kPortForm + ", not '" + excerpt(line) + "'");
    }
    if (!read_rate(scanner.rest(), port)) return;
    if (!in_section_) {
      return error("a port outside any section; expected " + std::string(kSectionForm) +
                   " before it");
    }
    if (section_is_wrong_) return;  // said where the section begins
    port.port = *number;
    port.peer_guid = *peer;
    port.peer_port = *peer_port;
    add_port(port);
  }

  // ... "description" lid 16 4xQDR, perhaps followed by the numbers of --full.
  bool read_rate(std::string_view comment, PortLine& port) {
    const std::size_t quote = comment.rfind('"');
    Scanner scanner(quote == std::string_view::npos ? std::string_view{}
                                                    : comment.substr(quote + 1));
    scanner.skip_blanks();
    const bool has_lid = scanner.take_word() == "lid";
    scanner.skip_blanks();
    const auto lid = parse_decimal(scanner.take_word(), 0xffff);
    scanner.skip_blanks();
    const std::string_view name = scanner.take_word();
    const auto rate = parse_link_rate(name);
    if (!has_lid || !lid) {
      error(
          "expected a comment that ends in the peer's lid and the rate, such as: # \"description\" "
          "lid 16 4xQDR");
    } else if (!rate) {
      error(
          "expected a rate such as 4xQDR (1x, 2x, 4x, 8x or 12x; SDR, DDR, QDR, FDR10, FDR, EDR, "
          "HDR, NDR or XDR), not '" +
          excerpt(name) + "'");
    } else {
      port.bits_per_second = *rate;
      port.lanes = link_lanes(name);
      return true;
    }
    return false;
  }

  void add_port(const PortLine& port) {
    DeviceSection& section = sections_.back();
    if (port.port > section.port_count) {
      return error("port " + std::to_string(port.port) + " of a device with " +
                   std::to_string(section.port_count) + " ports (line " +
                   std::to_string(section.line) + ")");
    }
    for (const PortLine& other : section.ports) {
      if (other.port != port.port) continue;
      return error("port " + std::to_string(port.port) +
                   " is listed twice; the first time on line " + std::to_string(other.line));
    }
    section.ports.push_back(port);
  }

  void error(const std::string& message) { errors_.add(line_, message); }

  ErrorList& errors_;
  std::vector<DeviceSection> sections_;
  std::size_t line_ = 0;
  bool in_section_ = false;
  bool section_is_wrong_ = false;
  std::uint64_t system_guid_ = 0;
  std::uint64_t own_guid_ = 0;
  std::uint32_t chassis_ = 0;
  std::string board_;
};

}  // namespace

std::vector<DeviceSection> read_sections(std::string_view text, ErrorList& errors) {
  return Reader(errors).read(text);
}

}  // namespace holdfast::sim
