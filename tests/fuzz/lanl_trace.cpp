// Records of failures as LANL has published them.
#include <array>

#include "sim/faults/trace.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

std::vector<Bytes> seeds() {
  return {
      bytes_of("System,\"nodes, all\",nodenumz,Prob Started,Prob Fixed\n"
               "2,\"4,9\",4,1/2/2004 0:10,1/2/2004 1:00\n"
               "2,\"4,9\",0,1/1/2004 0:00,1/1/2004 0:01\n"
               "3,\"4,9\",0,1/1/2004 0:00,1/1/2004 0:01\n"
               "2,\"4,9\",2,12/31/2003 23:59,1/1/2004 0:01\n"
               "2,\"4,9\",1,2/29/2004 0:20,2/29/2004 3:00\n"
               "2,\"4,9\",,1/2/2004 0:20,1/2/2004 3:00\n"
               "2,\"4,9\",3,1/3/2004 0:20,1/3/2004 0:19\n"
               "2,\"4,9\",3,1/4/2004 0:20,\n")};
}

void play(Input input) {
  const MemoryFile file(input);
  const std::array<std::uint32_t, 3> hosts{20, 10, 30};
  for (const std::optional<std::uint32_t> month : {std::optional<std::uint32_t>{}, {1u}}) {
    sim::ScheduleBuilder builder;
    sim::LanlReport report;
    const Status status =
        sim::read_lanl_trace(file.path(), {2, 2004, month}, hosts, builder, report);
    if (!status.is_ok()) {
      check_sentence(status.message());
      FUZZ_CHECK(status.message().starts_with(file.path()));
      continue;
    }
    FUZZ_CHECK(report.records > 0);
    const sim::FaultSchedule schedule = builder.build();
    Time last{};
    for (const sim::FaultEvent& event : schedule.events) {
      FUZZ_CHECK(event.at >= last);
      last = event.at;
    }
    sim::drawn_within_minutes(schedule, 0, report.records, 7);
  }
}

}  // namespace holdfast::fuzz
