// The results folder of one campaign.
//
//   resolved.json   what was run, all defaults written out
//   inputs.txt      what the files that it names held; not there if it names none
//   results.csv     one row per sweep point and replicate, in that order
//   failures.csv    one row per failure of each replicate
//   faults.csv      one row per fault: what happened, noticed or not
//   cuts.csv        one row per cut through the fabric
//   events.csv      raw events of the first replicates, if the experiment asks for them
//   run.json        how it was run and what that took; written last, so it says that all is there
//   run.log         when which replicate began and ended, as plain lines
//   replicates/     while the campaign is unfinished: one file for each finished replicate
//   and the campaign's attachments, such as recordings.id
//
// A replicate is finished when its file in replicates/ has its name, which happens at once and is
// on the disk. The tables grow in the order of their rows as the replicates before are finished; a
// resumed campaign makes them again from the files. So a kill at any moment costs at most the
// replicates that were running. A folder is never overwritten, and one that cannot be begun is not
// left half-made.
#pragma once

#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/durable_file.hpp"
#include "experiments/runner/replicate_file.hpp"

namespace holdfast::runner {

class ResultsFolder {
 public:
  ResultsFolder() = default;
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  // The folder that `options` mean, if it has results of a run already, which resume continues;
  // else empty.
  static std::string begun(const Campaign& campaign, const CampaignOptions& options);

  // Chooses, makes and locks the folder. An error is for the user to mend: the folder is there
  // already, holds another configuration, cannot be made or written. What was made is then gone
  // again, and what was there is as it was.
  Status open(const Campaign& campaign, const CampaignOptions& options);

  const std::string& path() const { return path_; }
  bool resumed() const { return resumed_; }    // a campaign was begun here before
  bool complete() const { return complete_; }  // and it has ended
  bool has(Job job) const;                     // the replicate is finished

  // Begins the tables with their headers; from then on add() takes the jobs in the order of the
  // rows.
  Status begin_tables(const Campaign& campaign);
  Status add_rows(const Campaign& campaign, Job job, const Outcome& outcome);

  // Any thread may call these.
  Status store(Job job, const std::string& replicate_text) const;
  Status load(Job job, FinishedReplicate& replicate) const;
  Status log(const std::string& line);

  // Everything is in the tables: writes run.json and removes replicates/.
  Status finish(const std::string& run_json);

 private:
  Status make(const Campaign& campaign, const CampaignOptions& options);
  Status make_folder(const std::string& path);
  Status lock();
  Status begin(const Campaign& campaign);
  void take_back(const Campaign& campaign);
  Status write_resolved(const Campaign& campaign);
  Status check_inputs(const Campaign& campaign);
  Status check_resolved(const Campaign& campaign);
  std::string file_of(Job job) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  std::string path_;
  std::vector<std::string> made_;  // folders that were not there, outermost first
  int lock_ = -1;
  bool resumed_ = false;
  bool complete_ = false;
  AppendFile results_;
  AppendFile failures_;
  AppendFile faults_;
  AppendFile cuts_;
  AppendFile events_;  // open only if raw events are wanted
  bool wants_events_ = false;
  AppendFile log_;
};

}  // namespace holdfast::runner
