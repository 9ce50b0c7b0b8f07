// What check_experiment is made of: the checks of a document as a whole (check.cpp) and of what
// fails in it (check_failures.cpp). Private to this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/check.hpp"

namespace holdfast::runner::config {

// Hosts, switches of a level, links of a level, processes: each at most 2^24, sixteen times what
// the project is made for, so that a slip of the pen does not fill the memory.
inline constexpr std::uint64_t kPartsMax = std::uint64_t{1} << 24;

class Checker {
 public:
  Checker(const Experiment& experiment, const Node& document, Problems& problems)
      : experiment_(experiment), document_(document), problems_(problems) {}

  void check() {
    check_replicates();
    check_duration();
    check_detector();
    check_fabric();
    check_topology();
    check_traffic();
    check_failures();
  }

 private:
  void check_replicates();
  void check_duration();
  void check_detector();
  void check_fabric();
  void check_turns_of_rails();
  void check_frame_faults();
  void check_topology();
  void check_routing();
  bool check_tree();
  bool check_tree_size();
  bool check_tables_size(bool listed);
  void check_processes();
  void check_traffic();
  void check_failures();
  std::uint64_t parts(FaultTarget what) const;
  void check_drawn(const FailureConfig& failure, const std::string& pointer);
  void check_process(const FailureConfig& failure, const std::string& pointer);
  // otherwise: what the key takes instead of a host, as the end of a sentence.
  void check_host(const std::string& which, const std::string& pointer,
                  const std::string& otherwise);
  bool check_kind(const FailureConfig& failure, const std::string& pointer);
  void check_impairment(const FailureConfig& failure, const std::string& pointer);
  void check_rail(const FailureConfig& failure, const std::string& pointer);
  void check_frames(const FailureConfig& failure, const std::string& pointer);
  void check_real_fault(const FailureConfig& failure, const std::string& pointer);
  void check_model(const FailureConfig& failure, const std::string& pointer);
  void need(const std::string& pointer, std::string_view key);
  // The first of these keys that stands in the failure.
  std::string_view found_of(const std::string& pointer,
                            std::initializer_list<std::string_view> keys) const;

  void report(const std::vector<std::string>& pointers, std::string message);

  const Experiment& experiment_;
  const Node& document_;
  Problems& problems_;
  std::uint64_t hosts_ = 0;  // 0: not known before the topology's file is read
};

}  // namespace holdfast::runner::config
