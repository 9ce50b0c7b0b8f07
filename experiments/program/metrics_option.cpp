// Checked for the last process, which has the highest port.
#include "experiments/program/metrics_option.hpp"

#include <cstdlib>

#include "hw/status/status_places.hpp"

namespace holdfast::program {

std::string take_metrics_option(const Arguments& arguments, std::uint32_t processes) {
  if (!arguments.has(kMetricsOption.name)) return "";
  const std::string text = arguments.value(kMetricsOption.name);
  hw::LoopbackPort last;
  if (Status status = hw::parse_metrics_place(text, {processes - 1}, last); !status.is_ok())
    return std::string(kMetricsOption.name) + " is " + status.message();
  ::setenv(hw::kMetricsVariable, text.c_str(), 1);
  return "";
}

}  // namespace holdfast::program
