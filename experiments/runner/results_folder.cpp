// Chooses, locks and fills the results folder.
#include "experiments/runner/results_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
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
constexpr const char* kLog = "run.log";

Status failure(const std::string& path, const char* what, const std::error_code& error) {
  return Status::error(path + ": cannot " + what + ": " + error.message() +
                       "; give another folder with --output");
}

// Also where a part of the name may not be looked at, or is too long: making it then says why.
bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
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

std::string last_numbered(const std::string& name) {
  int number = 1;
  while (is_there(numbered(name, number + 1))) ++number;
  return numbered(name, number);
}

}  // namespace

std::string ResultsFolder::begun(const Campaign& campaign, const CampaignOptions& options) {
  const std::string path = options.output.empty() ? last_numbered(campaign.name) : options.output;
  return is_there(path + "/" + kResolved) ? path : "";
}

ResultsFolder::~ResultsFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Status ResultsFolder::open(const Campaign& campaign, const CampaignOptions& options) {
  Status status = make(campaign, options);
  if (status.is_ok()) status = lock();
  if (!status.is_ok()) return status;
  resumed_ = is_there(file(kResolved));
  if (resumed_) status = check_resolved(campaign);
  if (!status.is_ok()) return status;
  if (!resumed_ && !is_as_good_as_empty(path_))
    return Status::error(path_ + ": is not empty and holds no results of a run; give another " +
                         "folder with --output");
  complete_ = resumed_ && is_there(file(kRun));
  if (complete_) {
    std::error_code ignored;
    fs::remove_all(file(kReplicates), ignored);  // in case the end of the last run was cut short
    return Status::ok();
  }
  status = begin(campaign);
  if (status.is_ok()) return status;
  if (!resumed_) take_back(campaign);
  return Status::error(status.message() + "; mend that and give the command again" +
                       (resumed_ ? "" : ", or another folder with --output"));
}

Status ResultsFolder::begin(const Campaign& campaign) {
  Status status = resumed_ ? Status::ok() : write_resolved(campaign);
  if (!status.is_ok()) return status;
  std::error_code error;
  fs::create_directory(file(kReplicates), error);
  if (error) return Status::error(file(kReplicates) + ": cannot make: " + error.message());
  for (const Attachment& attachment : campaign.attachments) {
    const std::string name = file(attachment.name);
    if (status.is_ok() && !(resumed_ && is_there(name)))
      status = write_durably(name, attachment.content);
  }
  return status.is_ok() ? log_.open(file(kLog)) : status;
}

// Removes what begin() has written, and then the folders that make() has made.
void ResultsFolder::take_back(const Campaign& campaign) {
  std::error_code ignored;
  for (const char* name : {kResolved, kInputs, kReplicates, kLog}) fs::remove(file(name), ignored);
  for (const Attachment& attachment : campaign.attachments)
    fs::remove(file(attachment.name), ignored);
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
}

// Decides on path_ and makes it. Without resume the folder is new.
Status ResultsFolder::make(const Campaign& campaign, const CampaignOptions& options) {
  std::error_code error;
  if (!options.output.empty()) {
    path_ = options.output;
    if (!options.resume && fs::is_directory(path_, error) && !fs::is_empty(path_, error))
      return Status::error(path_ +
                           ": is there already and is never overwritten; continue it with " +
                           "--resume, or give another folder with --output");
    return make_folder(path_);
  }
  if (Status status = make_folder("results"); !status.is_ok()) return status;
  if (options.resume) {
    path_ = last_numbered(campaign.name);
    return make_folder(path_);
  }
  int number = 1;
  // create_directory says false when another run has just made it.
  do {
    path_ = numbered(campaign.name, number++);
  } while (!fs::create_directory(path_, error) && !error);
  if (error) return failure(path_, "make this folder", error);
  made_.push_back(path_);
  return Status::ok();
}

// Makes a folder and those above it, and notes which were not there.
Status ResultsFolder::make_folder(const std::string& path) {
  std::error_code error;
  fs::path part;
  for (const fs::path& name : fs::path(path).lexically_normal()) {
    part /= name;
    if (name.empty() || fs::is_directory(part, error)) continue;
    if (is_there(part.string()))
      return Status::error(path + ": cannot make this folder: " + part.string() +
                           " is a file; give another folder with --output");
    fs::create_directory(part, error);
    if (error) return failure(path, "make this folder", error);
    made_.push_back(part.string());
  }
  return Status::ok();
}

Status ResultsFolder::lock() {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return failure(path_, "open this folder", {errno, std::generic_category()});
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return Status::ok();
  if (errno == EWOULDBLOCK) return Status::error(path_ + ": another run is writing to it");
  return failure(path_, "lock this folder", {errno, std::generic_category()});
}

// resolved.json comes last: with it the folder is one that can be resumed.
Status ResultsFolder::write_resolved(const Campaign& campaign) {
  if (!campaign.inputs.empty())
    if (Status status = write_durably(file(kInputs), campaign.inputs); !status.is_ok())
      return status;
  return write_durably(file(kResolved), campaign.resolved);
}

Status ResultsFolder::check_resolved(const Campaign& campaign) {
  std::string before;
  if (Status status = read_whole(file(kResolved), before); !status.is_ok()) return status;
  if (before == campaign.resolved) return check_inputs(campaign);
  return Status::error(path_ +
                       ": cannot be resumed: its configuration differs from the one given: " +
                       first_difference(before, campaign.resolved) + " (" + file(kResolved) +
                       "); run without --resume to begin a new folder");
}

// The same names may stand for other contents.
Status ResultsFolder::check_inputs(const Campaign& campaign) {
  std::string before;
  if (is_there(file(kInputs)))
    if (Status status = read_whole(file(kInputs), before); !status.is_ok()) return status;
  if (before == campaign.inputs) return Status::ok();
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
  return is_there(file_of(job));
}

Status ResultsFolder::begin_tables(const Campaign& campaign) {
  Status status = results_.replace(file("results.csv"), results_header(campaign));
  if (status.is_ok()) status = failures_.replace(file("failures.csv"), failures_header());
  if (status.is_ok()) status = faults_.replace(file("faults.csv"), faults_header());
  if (status.is_ok()) status = cuts_.replace(file("cuts.csv"), cuts_header());
  wants_events_ = campaign.points.front().experiment.events.replicates > 0;
  if (!status.is_ok() || !wants_events_) return status;
  return events_.replace(file("events.csv"), events_header());
}

Status ResultsFolder::add_rows(const Campaign& campaign, Job job, const Outcome& outcome) {
  // Results last: a row of results.csv says that those of the other tables are there.
  Status status = failures_.append(failures_rows(job, outcome));
  if (status.is_ok()) status = faults_.append(faults_rows(job, outcome));
  if (status.is_ok()) status = cuts_.append(cuts_rows(job, outcome));
  if (status.is_ok() && wants_events_) status = events_.append(events_rows(job, outcome));
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
  if (wants_events_)
    if (Status status = events_.sync(); !status.is_ok()) return status;
  if (Status status = write_durably(file(kRun), run_json); !status.is_ok()) return status;
  complete_ = true;
  std::error_code error;
  fs::remove_all(file(kReplicates), error);
  if (error) return Status::error(file(kReplicates) + ": cannot remove: " + error.message());
  return Status::ok();
}

}  // namespace holdfast::runner
