// Merging, and the digest that follows it.
#include "stack/view/view.hpp"

#include <algorithm>

#include "stack/base/random.hpp"

namespace holdfast {

namespace {

constexpr Record kInitial{};

std::uint64_t digest_of(ProcessId process, Record record) {
  const std::uint64_t who = mix64(process.value);
  const std::uint64_t what =
      std::uint64_t{record.incarnation.value} << 8 | static_cast<std::uint64_t>(record.state);
  return mix64(who ^ what);
}

constexpr auto kByProcess = [](const View::Exception& exception, ProcessId process) {
  return exception.process < process;
};

}  // namespace

Record View::of(ProcessId process) const {
  const auto found = std::lower_bound(exceptions_.begin(), exceptions_.end(), process, kByProcess);
  return found != exceptions_.end() && found->process == process ? found->record : kInitial;
}

bool View::merge(ProcessId process, Record record) {
  auto found = std::lower_bound(exceptions_.begin(), exceptions_.end(), process, kByProcess);
  const bool known = found != exceptions_.end() && found->process == process;
  if (record <= (known ? found->record : kInitial)) return false;
  if (known) {
    digest_ ^= digest_of(process, found->record);
  } else {
    found = exceptions_.insert(found, Exception{process, kInitial, 0});
  }
  found->record = record;
  found->changed = ++sequence_;
  digest_ ^= digest_of(process, record);
  return true;
}

}  // namespace holdfast
