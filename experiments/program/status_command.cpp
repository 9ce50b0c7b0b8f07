// holdfast status: what the processes of a running job show of it.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>

#include "experiments/program/commands.hpp"
#include "experiments/program/live_screen.hpp"
#include "experiments/program/status_picture.hpp"
#include "hw/status/job_name.hpp"

namespace holdfast::program {
namespace {

constexpr Duration kPatience = seconds(1);  // with a process that does not answer
constexpr int kBetweenLooksMs = 1000;
constexpr std::size_t kLeastRows = 4;  // of the table, on a terminal that is too small for all
constexpr std::size_t kAllRows = ~std::size_t{0};

const std::array kOptions = {
    Option{"--json", nullptr, "one JSON object for scripts (docs/watching.md)"},
    Option{"--once", nullptr, "one picture, also on a terminal"},
};

std::vector<hw::StatusPlace> places_of(const std::string& folder, const std::string& job) {
  std::vector<hw::StatusPlace> places = hw::status_places(folder);
  std::erase_if(places, [&](const hw::StatusPlace& place) {
    return !hw::job_name(place.job).starts_with(job);
  });
  return places;
}

// The jobs that have a process here. Who listens but is no process as this build knows them is
// complained of, if wanted.
std::map<std::uint32_t, hw::JobStatus> look(const std::vector<hw::StatusPlace>& places,
                                            bool complain) {
  std::map<std::uint32_t, std::vector<hw::Answer>> answers;
  for (hw::Answer& answer : hw::ask_processes(places, kPatience)) {
    if (answer.kind == hw::Answer::Kind::gone) continue;
    if (complain && answer.kind == hw::Answer::Kind::odd) {
      std::fprintf(stderr, "holdfast status: %s: %s\n", answer.place.path.c_str(),
                   answer.complaint.c_str());
    }
    answers[answer.place.job].push_back(std::move(answer));
  }
  std::map<std::uint32_t, hw::JobStatus> jobs;
  for (const auto& [job, all] : answers) jobs.emplace(job, job_status(job, all));
  return jobs;
}

int no_job(const std::string& folder, const std::string& job) {
  std::fprintf(stderr,
               "holdfast status: no job%s%s of this user runs on this machine; its processes would "
               "have\nsockets in %s\n",
               job.empty() ? "" : " ", job.c_str(), folder.c_str());
  return kRefused;
}

int several_jobs(const std::map<std::uint32_t, hw::JobStatus>& jobs) {
  std::fprintf(stderr, "holdfast status: %zu jobs run here; choose one:\n", jobs.size());
  for (const auto& [number, job] : jobs) {
    std::fprintf(stderr, "  holdfast status %s    (%s)\n", hw::job_name(number).c_str(),
                 status_lines(job, nullptr, 0).front().c_str());
  }
  return kRefused;
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

// What does not fit leaves the table, but for the least rows; one more says how many have left.
std::vector<std::string> picture_for(const LiveScreen& screen, const hw::JobStatus& now,
                                     const hw::JobStatus* before) {
  std::vector<std::string> lines = status_lines(now, before, kAllRows);
  const std::size_t beyond = screen.rows_beyond(lines);
  if (beyond == 0) return lines;
  const std::size_t members = now.members.size();
  const bool many = members > beyond + 1 + kLeastRows;
  return status_lines(now, before, many ? members - beyond - 1 : kLeastRows);
}

// Until the job has ended or a signal comes; what was seen last stays on the screen.
hw::JobStatus watch(const std::string& folder, const hw::JobStatus& first) {
  hw::JobStatus before;
  hw::JobStatus now = first;
  bool ended = false;
  {
    LiveScreen screen;
    while (true) {
      screen.draw(picture_for(screen, now, before.views.empty() ? nullptr : &before));
      if (!screen.wait(kBetweenLooksMs)) break;
      auto jobs = look(places_of(folder, hw::job_name(first.job)), false);
      ended = jobs.empty();
      if (ended) break;
      before = std::exchange(now, std::move(jobs.begin()->second));
    }
  }
  print(status_lines(now, before.views.empty() ? nullptr : &before, kAllRows));
  if (ended) std::printf("\nthe job has ended\n");
  return now;
}

int status(const Arguments& arguments) {
  const std::string job = arguments.operands().empty() ? "" : arguments.operands()[0];
  const std::string folder = hw::status_folder();
  if (const Status found = hw::check_status_folder(folder); !found.is_ok()) {
    std::fprintf(stderr, "holdfast status: %s\n", found.message().c_str());
    return kRefused;
  }
  const auto jobs = look(places_of(folder, job), true);
  if (jobs.empty()) return no_job(folder, job);
  if (jobs.size() > 1) return several_jobs(jobs);
  const hw::JobStatus& only = jobs.begin()->second;
  if (arguments.has("--json")) {
    std::fputs(status_document(only).c_str(), stdout);
  } else if (arguments.has("--once") || ::isatty(STDOUT_FILENO) == 0) {
    print(status_lines(only, nullptr, kAllRows));
  } else {
    return watch(folder, only).well() ? kDone : kFound;
  }
  return only.well() ? kDone : kFound;
}

}  // namespace

const Command kStatusCommand = {
    "status",
    "[JOB] [options]",
    "look at a running job: members, verdicts, mistakes, rails, rates",
    "Asks the processes of a job on this machine what they believe and have counted, and shows\n"
    "one picture: each member, whom it watches and when it last heard from it, where views\n"
    "disagree, what happened last, what the rails carried and lost, and how those of messages are\n"
    "judged. On a terminal it is drawn anew every second, with the rates since the look before,\n"
    "until Ctrl-C; elsewhere it is printed once, with the rates since each process started.\n"
    "JOB is the job's number or its beginning; it may be left out while only one job runs here.\n"
    "Only the user who has started a job can look at it.\n\n"
    "Exit status, of the last look: 0 if every member is alive or has left, all views agree, and\n"
    "all processes of this machine answer; 1 if not; 2 if there is no such job, or several.\n\n"
    "examples:\n"
    "  holdfast status\n"
    "  holdfast status 7f3a --once\n"
    "  holdfast status --json",
    kOptions,
    0,
    1,
    status};

}  // namespace holdfast::program
