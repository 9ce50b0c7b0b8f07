// A failure trace in our own form: what is taken is a schedule in order of time of parts that are
// there.
#include "sim/faults/trace.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {
constexpr std::uint32_t kParts = 10;
}  // namespace

std::vector<Bytes> seeds() {
  return {bytes_of("at_s,action,what,which\n# a rack\n1.5,crash,process,3\n2,repair,process,3\n"
                   "0.000000001,pause,node,7\n9,resume,node,7\n\n12.5,crash,node,9\n"),
          bytes_of("at_s,action,what,which\n5,crash,\"process\",\"2\"\n")};
}

void play(Input input) {
  const MemoryFile file(input);
  sim::ScheduleBuilder builder;
  const auto resolve = [](sim::FaultTarget, std::string_view text) -> std::optional<std::uint32_t> {
    if (text.size() != 1 || text[0] < '0' || text[0] > '9') return std::nullopt;
    return static_cast<std::uint32_t>(text[0] - '0');
  };
  if (const Status status = sim::read_csv_trace(file.path(), resolve, builder); !status.is_ok()) {
    check_sentence(status.message());
    FUZZ_CHECK(status.message().starts_with(file.path()));
    return;
  }
  Time last{};
  for (const sim::FaultEvent& event : builder.build().events) {
    FUZZ_CHECK(event.at >= last && event.index < kParts);
    last = event.at;
  }
}

}  // namespace holdfast::fuzz
