// Failure traces: files that say what broke in a real cluster, turned into a fault schedule.
//
// Two formats:
//
// csv    A header `at_s,action,what,which`, then one event a line.
//          at_s    seconds from the start of the run: a decimal number with up to nine decimals
//          action  crash | repair | pause | resume
//          what    process | node
//          which   the rank of a process; the name, GUID or index of a node
//        Lines that are empty or begin with # are skipped. Lines need not be in order of time.
//
// lanl   The records of Los Alamos National Laboratory (LA-UR-05-7318) as they are published: a
// header,
//        of which the columns System, nodenumz, "Prob Started" and "Prob Fixed" are used; times are
//        M/D/YYYY H:MM. Records of one system that start in one year, or month of it, are played.
//        - Time zero is the first minute of the period. Times are taken as written: the local time
//        of
//          the site, as if no hour were ever skipped or repeated.
//        - Node n of the trace is played on host n mod H, the hosts in order of their GUID.
//        - A record for a host that is down already is counted and otherwise ignored, and so is its
//          end (see ScheduleBuilder): every wrapped node shares its host with others.
//        - Without "Prob Fixed" the host stays down to the end of the run; a record that was fixed
//          before it started, or that has no node, is not played. Each kind is counted.
//
// A file whose name ends in .xz is unpacked on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/faults/schedule.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

// The index of a process or node that a trace names, or nothing if there is none of that name.
using ResolvePart = std::function<std::optional<std::uint32_t>(FaultTarget, std::string_view)>;

// Adds the events of a csv trace to `builder`. Record k is the k-th line of data, from 0. Errors
// name file and line.
Status read_csv_trace(const std::string& path, const ResolvePart& resolve,
                      ScheduleBuilder& builder);

struct LanlSelection {
  std::uint32_t system = 0;
  std::uint32_t year = 0;
  std::optional<std::uint32_t> month;  // 1 … 12
};

// A node of the trace and the host it was played on.
struct LanlNode {
  std::uint32_t node = 0;  // column nodenumz
  std::uint32_t host = 0;  // an element of hosts_in_guid_order
  std::size_t records = 0;

  friend bool operator==(const LanlNode&, const LanlNode&) = default;
};

struct LanlReport {
  std::size_t records = 0;  // of the system that start in the period, whether played or not
  std::size_t never_fixed = 0;
  std::size_t fixed_before_started = 0;
  std::size_t without_node = 0;
  Duration period;              // the length of the year or month
  std::vector<LanlNode> nodes;  // those of the selected records, by number
};

// Adds the selected records to `builder`, in order of their start; record k is the k-th of them. An
// empty selection is an error, which names the years that the system has. `hosts_in_guid_order`
// must not be empty.
Status read_lanl_trace(const std::string& path, const LanlSelection& selection,
                       std::span<const std::uint32_t> hosts_in_guid_order, ScheduleBuilder& builder,
                       LanlReport& report);

}  // namespace holdfast::sim
