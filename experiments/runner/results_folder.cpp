// Chooses, locks and fills the results folder.
#include "experiments/runner/results_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "experiments/runner/tables.hpp"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResolved = "resolved.json";
constexpr const char* kInputs = "inputs.txt";
constexpr const char* kRun = "run.json";
constexpr const char* kReplicates = "replicates";

Status failure(const std::string& path, const char* what, const std::error_code& error) {
  return Status::error(path + ": cannot " + what + ": " + error.message());
}

// results/NAME, results/NAME-2, …
std::string numbered(const std::string& name, int number) {
  return "results/" + name + (number == 1 ? "" : "-" + std::to_string(number));
}

// The first difference, for people.
std::string first_difference(const std::string& before, const std::string& now) {
  std::istringstream old_lines(before);
  std::istringstream new_lines(now);
  std::string old_line;
  std::string new_line;
  for (int number = 1;; ++number) {
    const bool more_old = static_cast<bool>(std::getline(old_lines, old_line));
    const bool more_new = static_cast<bool>(std::getline(new_lines, new_line));
    if (!more_old && !more_new) return "";
    if (more_old && more_new && old_line == new_line) continue;
    const auto shown = [](bool more, const std::string& line) {
      const std::size_t first = line.find_first_not_of(' ');
      return !more || first == std::string::npos ? "nothing" : "`" + line.substr(first) + "`";
    };
    return "line " + std::to_string(number) + " says " + shown(more_old, old_line) + " there and " +
           shown(more_new, new_line) + " now";
  }
}

// Whether a campaign that was killed at its very beginning left no more than this.
bool is_as_good_as_empty(const std::string& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
    if (entry.path().filename() != std::string(kResolved) + ".tmp" &&
        !entry.path().filename().string().starts_with(kInputs))
      return false;
  return true;
}

}  // namespace

ResultsFolder::~ResultsFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Status ResultsFolder::open(const Campaign& campaign, const CampaignOptions& options,
                           bool& refused) {
  refused = false;
  if (Status status = make(campaign, options, refused); !status.is_ok()) return status;
  if (Status status = lock(refused); !status.is_ok()) return status;
  resumed_ = fs::exists(file(kResolved));
  if (resumed_) {
    if (Status status = check_resolved(campaign, refused); !status.is_ok()) return status;
    complete_ = fs::exists(file(kRun));
  } else if (!is_as_good_as_empty(path_)) {
    refused = true;
    return Status::error(path_ +
                         ": is not empty and holds no results of a run; give another folder" +
                         " with --output");
  } else if (Status status = write_resolved(campaign); !status.is_ok()) {
    return status;
  }
  std::error_code error;
  if (complete_) {
    fs::remove_all(file(kReplicates), error);  // in case the end of the last run was cut short
    return Status::ok();
  }
  fs::create_directory(file(kReplicates), error);
  if (error) return failure(file(kReplicates), "make", error);
  for (const Attachment& attachment : campaign.attachments)
    if (Status status = write_durably(file(attachment.name), attachment.content); !status.is_ok())
      return status;
  return log_.open(file("run.log"));
}

// Decides on path_ and makes it. Without resume the folder is new.
Status ResultsFolder::make(const Campaign& campaign, const CampaignOptions& options,
                           bool& refused) {
  std::error_code error;
  if (!options.output.empty()) {
    path_ = options.output;
    if (fs::exists(path_) && !fs::is_directory(path_)) {
      refused = true;
      return Status::error(path_ + ": is not a folder");
    }
    if (!options.resume && fs::exists(path_) && !fs::is_empty(path_, error)) {
      refused = true;
      return Status::error(path_ +
                           ": is there already and is never overwritten; continue it with " +
                           "--resume, or give another folder with --output");
    }
    fs::create_directories(path_, error);
    return error ? failure(path_, "make", error) : Status::ok();
  }
  fs::create_directories("results", error);
  if (error) return failure("results", "make", error);
  int number = 1;
  if (options.resume) {
    while (fs::exists(numbered(campaign.name, number + 1))) ++number;
    path_ = numbered(campaign.name, number);
    fs::create_directory(path_, error);
    return error ? failure(path_, "make", error) : Status::ok();
  }
  // create_directory says false when another run has just made it.
  do {
    path_ = numbered(campaign.name, number++);
  } while (!fs::create_directory(path_, error) && !error);
  return error ? failure(path_, "make", error) : Status::ok();
}

Status ResultsFolder::lock(bool& refused) {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return Status::error(path_ + ": cannot open: " + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return Status::ok();
  refused = errno == EWOULDBLOCK;
  return Status::error(path_ + (refused ? ": another run is writing to it"
                                        : std::string(": cannot lock: ") + std::strerror(errno)));
}

// resolved.json comes last: with it the folder is one that can be resumed.
Status ResultsFolder::write_resolved(const Campaign& campaign) {
  if (!campaign.inputs.empty())
    if (Status status = write_durably(file(kInputs), campaign.inputs); !status.is_ok())
      return status;
  return write_durably(file(kResolved), campaign.resolved);
}

Status ResultsFolder::check_resolved(const Campaign& campaign, bool& refused) {
  std::string before;
  if (Status status = read_whole(file(kResolved), before); !status.is_ok()) return status;
  if (before == campaign.resolved) return check_inputs(campaign, refused);
  refused = true;
  return Status::error(path_ +
                       ": cannot be resumed: its configuration differs from the one given: " +
                       first_difference(before, campaign.resolved) + " (" + file(kResolved) +
                       "); run without --resume to begin a new folder");
}

// The same names may stand for other contents.
Status ResultsFolder::check_inputs(const Campaign& campaign, bool& refused) {
  std::string before;
  if (fs::exists(file(kInputs)))
    if (Status status = read_whole(file(kInputs), before); !status.is_ok()) return status;
  if (before == campaign.inputs) return Status::ok();
  refused = true;
  return Status::error(path_ +
                       ": cannot be resumed: a file that the configuration names is not what it " +
                       "was: " + first_difference(before, campaign.inputs) + " (" + file(kInputs) +
                       "); put it back, or run without --resume to begin a new folder");
}

std::string ResultsFolder::file_of(Job job) const {
  return file(kReplicates) + "/" + std::to_string(job.point) + "-" + std::to_string(job.replicate) +
         ".json";
}

bool ResultsFolder::has(Job job) const {
  return fs::exists(file_of(job));
}

Status ResultsFolder::begin_tables(const Campaign& campaign) {
  Status status = results_.replace(file("results.csv"), results_header(campaign));
  if (status.is_ok()) status = failures_.replace(file("failures.csv"), failures_header());
  if (status.is_ok()) status = faults_.replace(file("faults.csv"), faults_header());
  return status.is_ok() ? cuts_.replace(file("cuts.csv"), cuts_header()) : status;
}

Status ResultsFolder::add_rows(const Campaign& campaign, Job job, const Outcome& outcome) {
  // Results last: a row of results.csv says that those of the other tables are there.
  Status status = failures_.append(failures_rows(job, outcome));
  if (status.is_ok()) status = faults_.append(faults_rows(job, outcome));
  if (status.is_ok()) status = cuts_.append(cuts_rows(job, outcome));
  if (!status.is_ok()) return status;
  return results_.append(results_row(campaign, job, outcome));
}

Status ResultsFolder::store(Job job, const std::string& replicate_text) const {
  return write_durably(file_of(job), replicate_text);
}

Status ResultsFolder::load(Job job, FinishedReplicate& replicate) const {
  std::string text;
  if (Status status = read_whole(file_of(job), text); !status.is_ok()) return status;
  return parse_replicate(file_of(job), text, replicate);
}

Status ResultsFolder::log(const std::string& line) {
  return log_.append(line + "\n");
}

Status ResultsFolder::finish(const std::string& run_json) {
  for (AppendFile* table : {&failures_, &faults_, &cuts_, &results_})
    if (Status status = table->sync(); !status.is_ok()) return status;
  if (Status status = write_durably(file(kRun), run_json); !status.is_ok()) return status;
  complete_ = true;
  std::error_code error;
  fs::remove_all(file(kReplicates), error);
  return error ? failure(file(kReplicates), "remove", error) : Status::ok();
}

}  // namespace holdfast::runner
