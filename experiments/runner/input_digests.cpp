// A 64-bit mix over all words of a file.
#include "experiments/runner/input_digests.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "experiments/runner/durable_file.hpp"
#include "stack/base/random.hpp"

namespace holdfast::runner {
namespace {

std::uint64_t digest_of(const std::string& content) {
  std::uint64_t digest = mix64(content.size());
  for (std::size_t at = 0; at < content.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, content.data() + at, std::min<std::size_t>(8, content.size() - at));
    digest = mix64(digest ^ word);
  }
  return digest;
}

std::vector<std::string> files_of(const Experiment& experiment) {
  std::vector<std::string> files = {experiment.topology.file, experiment.topology.names,
                                    experiment.fabric.routing.file};
  if (experiment.trace) files.push_back(experiment.trace->file);
  std::erase(files, "");
  return files;
}

}  // namespace

Status digest_inputs(std::span<const CampaignPoint> points, std::string& lines) {
  std::vector<std::string> seen;
  lines.clear();
  for (const CampaignPoint& point : points) {
    for (const std::string& file : files_of(point.experiment)) {
      if (std::find(seen.begin(), seen.end(), file) != seen.end()) continue;
      seen.push_back(file);
      std::string content;
      if (Status status = read_whole(file, content); !status.is_ok()) return status;
      char digits[17];
      std::snprintf(digits, sizeof digits, "%016" PRIx64, digest_of(content));
      lines += std::string(digits) + "  " + file + "\n";
    }
  }
  return Status::ok();
}

}  // namespace holdfast::runner
