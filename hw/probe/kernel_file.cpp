// Reads with plain system calls: these files have no size, and errno says what is wrong with them.
#include "hw/probe/kernel_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "hw/descriptor.hpp"

namespace holdfast::hw {
namespace {

bool parse_number(std::string_view text, std::int64_t& number) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool read_kernel_file(const std::string& path, std::string& text) {
  text.clear();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char part[4096];
  ssize_t length = file.is_open() ? 0 : -1;
  while (file.is_open() && (length = ::read(file.get(), part, sizeof part)) > 0)
    text.append(part, static_cast<std::size_t>(length));
  if (length < 0) {
    text = path + ": " + std::strerror(errno);
    return false;
  }
  constexpr const char* kSpace = " \t\r\n";
  text.erase(text.find_last_not_of(kSpace) + 1);
  text.erase(0, text.find_first_not_of(kSpace));
  return true;
}

std::vector<std::string> list_kernel_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(path, none))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void add_number(FactGroup& group, std::string fact, const std::string& path, std::string unit) {
  std::string text;
  std::int64_t number = 0;
  if (!read_kernel_file(path, text)) {
    group.add_unknown(std::move(fact), text);
  } else if (!parse_number(text, number)) {
    group.add_unknown(std::move(fact), path + " says \"" + text + "\", which is no number");
  } else {
    group.add(std::move(fact), number, std::move(unit));
  }
}

void add_text(FactGroup& group, std::string fact, const std::string& path) {
  std::string text;
  if (read_kernel_file(path, text)) {
    group.add(std::move(fact), text);
  } else {
    group.add_unknown(std::move(fact), text);
  }
}

std::int64_t number_after(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (!line.starts_with(key) || line.size() == key.size() || line[key.size()] != ':') continue;
    line.remove_prefix(key.size() + 1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    std::int64_t number = 0;
    return parse_number(line.substr(0, line.find(' ')), number) ? number : -1;
  }
  return -1;
}

}  // namespace holdfast::hw
