// A socket gets its name when it listens already, so a name at which nobody listens is a dead one.
#include "hw/status/status_places.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "hw/status/job_name.hpp"

namespace holdfast::hw {

namespace {

constexpr int kBacklog = 16;
constexpr std::string_view kJob = "job-";
constexpr std::string_view kProcess = ".process-";
constexpr std::string_view kEnd = ".sock";

Status failure_at(const char* what, const std::string& where) {
  return Status::error(std::string(what) + " " + where + ": " + std::strerror(errno));
}

// False if the path is too long for a socket.
bool to_name(const std::string& path, sockaddr_un& name) {
  if (path.size() >= sizeof name.sun_path) return false;
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  return true;
}

template <class Number>
bool take_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "job-7f3a91c2.process-3.sock"
bool parse_file_name(std::string_view name, StatusPlace& place) {
  if (!name.starts_with(kJob) || !name.ends_with(kEnd)) return false;
  name.remove_prefix(kJob.size());
  name.remove_suffix(kEnd.size());
  const auto job = job_of_name(name.substr(0, kJobNameSize));
  if (!job || !name.substr(kJobNameSize).starts_with(kProcess)) return false;
  place.job = *job;
  return take_number(name.substr(kJobNameSize + kProcess.size()), place.process.value);
}

}  // namespace

std::string status_folder() {
  const char* const named = std::getenv(kRuntimeVariable);
  if (named != nullptr && *named != '\0') return named;
  return "/tmp/holdfast-" + std::to_string(::geteuid());
}

Status check_status_folder(const std::string& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) {
    return errno == ENOENT ? Status::ok() : failure_at("cannot look at", folder);
  }
  const bool ours = S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
  if (ours && (found.st_mode & 0077) == 0) return Status::ok();
  return Status::error(folder +
                       (ours ? " may be entered by others; mend with: chmod 700 " + folder
                             : " is not a folder of this user; remove it, or name another one in "
                               "the environment's " +
                                   std::string(kRuntimeVariable)));
}

Status make_status_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_at("cannot make the folder", folder);
  }
  return check_status_folder(folder);
}

StatusPlace place_of(const std::string& folder, std::uint32_t job, ProcessId process) {
  return {job, process,
          folder + "/" + std::string(kJob) + job_name(job) + std::string(kProcess) +
              std::to_string(process.value) + std::string(kEnd)};
}

Status listen_at(const StatusPlace& place, Descriptor& listening) {
  const std::string unnamed = place.path + "." + std::to_string(::getpid());
  sockaddr_un name{};
  if (!to_name(unnamed, name)) {
    return Status::error("the path " + unnamed + " is too long for a socket; name a shorter " +
                         "folder in the environment's " + kRuntimeVariable);
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::unlink(unnamed.c_str());
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  if (!socket.is_open() || ::bind(socket.get(), address, sizeof name) != 0) {
    return failure_at("cannot make the socket", place.path);
  }
  if (::chmod(unnamed.c_str(), 0600) != 0 || ::listen(socket.get(), kBacklog) != 0 ||
      std::rename(unnamed.c_str(), place.path.c_str()) != 0) {
    const Status status = failure_at("cannot listen at", place.path);
    ::unlink(unnamed.c_str());
    return status;
  }
  listening = std::move(socket);
  return Status::ok();
}

std::vector<StatusPlace> status_places(const std::string& folder) {
  std::vector<StatusPlace> places;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    StatusPlace place;
    if (!parse_file_name(entry.path().filename().string(), place)) continue;
    place.path = entry.path().string();
    places.push_back(place);
  }
  std::sort(places.begin(), places.end(), [](const StatusPlace& a, const StatusPlace& b) {
    return std::tie(a.job, a.process) < std::tie(b.job, b.process);
  });
  return places;
}

Descriptor connect_to(const StatusPlace& place, bool& gone) {
  gone = false;
  sockaddr_un name{};
  if (!to_name(place.path, name)) return {};
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  if (socket.is_open() && ::connect(socket.get(), address, sizeof name) == 0) return socket;
  gone = errno == ECONNREFUSED || errno == ENOENT;
  if (errno == ECONNREFUSED) ::unlink(place.path.c_str());
  return {};
}

void remove_dead_places(const std::string& folder) {
  bool gone = false;
  for (const StatusPlace& place : status_places(folder)) (void)connect_to(place, gone);
}

Status parse_metrics_place(std::string_view text, ProcessId process, LoopbackPort& place) {
  const std::string wrong = "\"" + std::string(text) + "\"; expected a loopback address and the " +
                            "port of process 0, such as 127.0.0.1:9100 or [::1]:9100";
  const std::size_t colon = text.rfind(':');
  std::uint16_t first = 0;
  if (colon == std::string_view::npos || !take_number(text.substr(colon + 1), first) ||
      first == 0) {
    return Status::error(wrong);
  }
  std::string host(text.substr(0, colon));
  const std::uint64_t port = std::uint64_t{first} + process.value;
  if (port > 0xffff) {
    return Status::error("\"" + std::string(text) + "\", which has no port left for process " +
                         std::to_string(process.value) + "; give a smaller one");
  }
  place.port = static_cast<std::uint16_t>(port);
  auto* const four = reinterpret_cast<sockaddr_in*>(&place.name);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&place.name);
  if (::inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    if (ntohl(four->sin_addr.s_addr) >> 24 != 127) return Status::error(wrong);
    four->sin_family = AF_INET;
    four->sin_port = htons(place.port);
    place.size = sizeof *four;
    return Status::ok();
  }
  if (host != "[::1]") return Status::error(wrong);
  six->sin6_family = AF_INET6;
  six->sin6_addr = in6addr_loopback;
  six->sin6_port = htons(place.port);
  place.size = sizeof *six;
  return Status::ok();
}

Status listen_at(const LoopbackPort& place, Descriptor& listening) {
  Descriptor socket(::socket(place.name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (socket.is_open()) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const auto* address = reinterpret_cast<const sockaddr*>(&place.name);
    if (::bind(socket.get(), address, place.size) == 0 && ::listen(socket.get(), kBacklog) == 0) {
      listening = std::move(socket);
      return Status::ok();
    }
  }
  return failure_at("cannot serve metrics at loopback port", std::to_string(place.port));
}

}  // namespace holdfast::hw
