// Messages never repeat what was read: it may be most of a key.
#include "hw/launch/job_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "hw/descriptor.hpp"

namespace holdfast::hw {

namespace {

constexpr const char* kKeyVariable = "HOLDFAST_KEY";

constexpr const char* kMend =
    "; expected 64 hexadecimal digits, such as from: od -An -v -tx1 -N32 /dev/urandom | tr -d ' "
    "\\n'";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Status read_key_file(const std::string& file, std::optional<JobKey>& key) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  std::array<char, 256> text{};
  if (!opened.is_open() || ::fstat(opened.get(), &about) != 0) {
    return Status::error(file + ": cannot read the job's key: " + std::strerror(errno));
  }
  if (S_ISREG(about.st_mode) && (about.st_mode & 077) != 0) {
    return Status::error(file + ": others may read the job's key; mend with: chmod 600 " + file);
  }
  const ssize_t size = ::read(opened.get(), text.data(), text.size());
  key = parse_job_key({text.data(), size > 0 ? static_cast<std::size_t>(size) : 0});
  return key ? Status::ok() : Status::error(file + ": there is no key of a job in it" + kMend);
}

}  // namespace

std::optional<JobKey> parse_job_key(std::string_view text) {
  text = trimmed(text);
  JobKey key;
  if (text.size() != 2 * key.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + 2 * i;
    const auto parsed = std::from_chars(digits, digits + 2, value, 16);
    if (parsed.ec != std::errc{} || parsed.ptr != digits + 2) return std::nullopt;
    key.bytes[i] = static_cast<std::byte>(value);
  }
  return key;
}

Status find_job_key(const std::string& file, std::optional<JobKey>& key) {
  if (!file.empty()) return read_key_file(file, key);
  const char* const variable = std::getenv(kKeyVariable);
  if (variable == nullptr) return Status::ok();
  key = parse_job_key(variable);
  return key ? Status::ok()
             : Status::error(std::string("the environment's ") + kKeyVariable +
                             " is no key of a job" + kMend);
}

}  // namespace holdfast::hw
