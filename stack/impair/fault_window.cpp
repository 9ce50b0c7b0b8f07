// Who is in which list.
#include "stack/impair/fault_window.hpp"

#include <algorithm>

namespace holdfast {

namespace {

bool has(const std::vector<ProcessId>& list, ProcessId process) {
  return std::binary_search(list.begin(), list.end(), process);
}

bool is_list_of(const std::vector<ProcessId>& list, std::uint32_t processes) {
  for (std::size_t i = 1; i < list.size(); ++i)
    if (list[i] <= list[i - 1]) return false;
  return list.empty() || list.back().value < processes;
}

bool is_far(const FaultWindow& window, ProcessId process) {
  return window.to.empty() ? !has(window.of, process) : has(window.to, process);
}

}  // namespace

bool FaultWindow::concerns(ProcessId sender, ProcessId receiver) const {
  if (has(of, sender) && is_far(*this, receiver)) return true;
  return !one_way && has(of, receiver) && is_far(*this, sender);
}

bool FaultWindow::concerns_sender(ProcessId sender) const {
  return has(of, sender) || (!one_way && is_far(*this, sender));
}

bool FaultWindow::possible(std::uint32_t processes) const {
  return from >= Duration{0} && until > from && faults.possible() && !of.empty() &&
         is_list_of(of, processes) && is_list_of(to, processes);
}

}  // namespace holdfast
