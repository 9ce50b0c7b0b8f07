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

View& View::operator=(const View& other) {
  exceptions_ =
      other.exceptions_ ? std::make_unique<std::vector<Exception>>(*other.exceptions_) : nullptr;
  digest_ = other.digest_;
  sequence_ = other.sequence_;
  return *this;
}

bool operator==(const View& a, const View& b) {
  return a.digest_ == b.digest_ && a.sequence_ == b.sequence_ &&
         std::ranges::equal(a.exceptions(), b.exceptions());
}

Record View::find(ProcessId process) const {
  const auto found =
      std::lower_bound(exceptions_->begin(), exceptions_->end(), process, kByProcess);
  return found != exceptions_->end() && found->process == process ? found->record : kInitial;
}

bool View::merge(ProcessId process, Record record) {
  if (record <= of(process)) return false;
  if (!exceptions_) exceptions_ = std::make_unique<std::vector<Exception>>();
  auto found = std::lower_bound(exceptions_->begin(), exceptions_->end(), process, kByProcess);
  if (found != exceptions_->end() && found->process == process) {
    digest_ ^= digest_of(process, found->record);
  } else {
    found = exceptions_->insert(found, Exception{process, kInitial, 0});
  }
  found->record = record;
  found->changed = ++sequence_;
  digest_ ^= digest_of(process, record);
  return true;
}

}  // namespace holdfast
