// Times are cut to whole nanoseconds one by one, so that the sum is exact.
#include "sim/faults/renewal.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint64_t kRenewalStream = 0x72656e6577616c;
constexpr double kNever = 0x1p62;  // ns: 146 years

// `span` after `start`, or nothing if no clock reaches it. 0 <= start < 2^62.
std::optional<Time> after(Time start, double span) {
  if (!(span < kNever)) return std::nullopt;
  return start + nanoseconds(static_cast<std::int64_t>(span));
}

}  // namespace

void draw_down_times(const Lives& lives, const RenewalModel& model, const PartStream& stream,
                     Duration end, std::vector<DownTime>& down_times) {
  Random random(stream.seed, kRenewalStream ^ mix64(stream.entry), stream.part);
  const double first = model.age ? lives.rest_at_age(random, static_cast<double>(model.age->ns))
                                 : lives.rest_in_equilibrium(random);
  std::optional<Time> failure = after(Time{}, first);
  while (failure && *failure < Time{} + end) {
    DownTime down{*failure, std::nullopt};
    if (model.repair) down.until = after(*failure, draw_repair(*model.repair, random));
    down_times.push_back(down);
    if (!down.until || *down.until >= Time{} + end) return;
    failure = after(*down.until, lives.whole(random));
  }
}

}  // namespace holdfast::sim
