// Lives and repairs against their distribution functions, which are written down here from the
// textbook and integrated numerically; 10^6 draws each without sanitizers.
#include "sim/faults/life_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sim/faults/renewal.hpp"
#include "tests/drawn.hpp"

namespace holdfast::sim {
namespace {

constexpr int kDraws = tests::drawn(1'000'000);
constexpr double kMean = 600e9;  // ten minutes
constexpr double kMinute = 60e9;

const std::vector<LifeModel> kModels = {
    {LifeKind::exponential, Duration{600'000'000'000}, 1.0, 1.0},
    {LifeKind::weibull, Duration{600'000'000'000}, 0.7, 1.0},
    {LifeKind::weibull, Duration{600'000'000'000}, 3.0, 1.0},
    {LifeKind::lognormal, Duration{600'000'000'000}, 1.0, 1.4},
};

// The probability that a new part lives longer than t.
double survival(const LifeModel& model, double t) {
  if (model.kind == LifeKind::exponential) return std::exp(-t / kMean);
  if (model.kind == LifeKind::weibull) {
    return std::exp(-std::pow(t / (kMean / std::tgamma(1.0 + 1.0 / model.shape)), model.shape));
  }
  const double mu = std::log(kMean) - model.sigma * model.sigma / 2.0;
  return 0.5 * std::erfc((std::log(t) - mu) / (model.sigma * std::sqrt(2.0)));
}

// The probability that the rest of a life in equilibrium is at most t: the integral of the survival
// over [0, t], divided by the mean. Substituting u = t x^4 tames the steep beginning.
double rest_within(const LifeModel& model, double t) {
  constexpr int kSteps = 4000;
  double sum = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double x = (i + 0.5) / kSteps;
    sum += survival(model, t * x * x * x * x) * 4.0 * x * x * x;
  }
  return sum / kSteps * t / kMean;
}

std::vector<double> draws(std::uint64_t stream, const std::function<double(Random&)>& draw) {
  Random random(20, 26, stream);
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(random);
  std::sort(values.begin(), values.end());
  return values;
}

// The largest distance between the empirical and the given distribution function, at 400 quantiles.
double distance(const std::vector<double>& sorted, const std::function<double(double)>& within) {
  double most = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t at = (2 * i + 1) * sorted.size() / 800;
    const double empirical = (static_cast<double>(at) + 0.5) / static_cast<double>(sorted.size());
    most = std::max(most, std::abs(empirical - within(sorted[at])));
  }
  return most;
}

// Four standard deviations of the mean of so many lives of the widest model.
const double kNear = 4.0 * 2.5 / std::sqrt(static_cast<double>(kDraws));

// Kolmogorov: a distance of 1.95 / sqrt(n) occurs by chance once in a thousand times.
const double kByChance = 1.95 / std::sqrt(static_cast<double>(kDraws));

TEST(Lives, HaveTheirMeanAndTheirDistribution) {
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    const Lives lives(kModels[i]);
    const auto values = draws(i, [&](Random& random) { return lives.whole(random); });
    double sum = 0.0;
    for (const double value : values) sum += value;
    EXPECT_NEAR(sum / kDraws / kMean, 1.0, kNear) << i;
    EXPECT_LT(distance(values, [&](double t) { return 1.0 - survival(kModels[i], t); }), kByChance)
        << i;
  }
}

TEST(Lives, InEquilibriumTheRestHasTheIntegratedSurvival) {
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    const Lives lives(kModels[i]);
    const auto values =
        draws(10 + i, [&](Random& random) { return lives.rest_in_equilibrium(random); });
    EXPECT_LT(distance(values, [&](double t) { return rest_within(kModels[i], t); }), kByChance)
        << i;
    // The rate of the first minute.
    const auto failed = static_cast<double>(
        std::lower_bound(values.begin(), values.end(), kMinute) - values.begin());
    EXPECT_NEAR(failed / kDraws / rest_within(kModels[i], kMinute), 1.0, kNear) << i;
  }
}

TEST(Lives, AtAnAgeTheRestIsConditional) {
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    const Lives lives(kModels[i]);
    for (const double age : {0.0, kMinute, 5.0 * kMean}) {
      const auto values =
          draws(20 + i, [&](Random& random) { return lives.rest_at_age(random, age); });
      const auto within = [&](double t) {
        return 1.0 - survival(kModels[i], age + t) / (age > 0.0 ? survival(kModels[i], age) : 1.0);
      };
      EXPECT_LT(distance(values, within), kByChance) << i << " at " << age;
    }
  }
}

// Ten years of mean life: new parts of shape 0.7 would fail 122 times too often in their first
// minute (founding design, section 5).
TEST(Lives, NewPartsWouldFailTooOftenInTheFirstMinute) {
  LifeModel model = kModels[1];
  const double years = 10.0 * 365.25 * 86'400e9;
  model.mean = nanoseconds(static_cast<std::int64_t>(years));
  const double scale = years / std::tgamma(1.0 + 1.0 / 0.7);
  const double expected = kDraws * -std::expm1(-std::pow(kMinute / scale, 0.7));
  EXPECT_NEAR(expected / (kDraws * kMinute / years), 122.0, 1.0);
  const Lives lives(model);
  const auto young = draws(30, [&](Random& random) { return lives.whole(random); });
  const auto settled = draws(31, [&](Random& random) { return lives.rest_in_equilibrium(random); });
  const auto failed = [](const std::vector<double>& values) {
    return std::lower_bound(values.begin(), values.end(), kMinute) - values.begin();
  };
  EXPECT_NEAR(static_cast<double>(failed(young)), expected, 4.0 * std::sqrt(expected));
  EXPECT_LE(failed(settled), 3);  // 0.19 are expected
}

TEST(Repairs, HaveTheirDistribution) {
  const Duration typical{600'000'000'000};
  Random random(1, 1, 1);
  EXPECT_EQ(draw_repair({RepairKind::fixed, typical, 1.0}, random), kMean);
  const auto exponential = draws(40, [&](Random& r) {
    return draw_repair({RepairKind::exponential, typical, 1.0}, r);
  });
  EXPECT_LT(distance(exponential, [](double t) { return -std::expm1(-t / kMean); }), kByChance);
  const auto lognormal = draws(41, [&](Random& r) {
    return draw_repair({RepairKind::lognormal, typical, 1.4}, r);
  });
  EXPECT_LT(distance(lognormal,
                     [](double t) {
                       return 0.5 * std::erfc(-std::log(t / kMean) / (1.4 * std::sqrt(2.0)));
                     }),
            kByChance);
}

// A renewal process that starts in equilibrium has the same rate from its first moment on, whatever
// the model: t / mean failures in a time t (Cox, 1962). Repairs here take no time.
TEST(Renewal, HasItsRateFromTheStart) {
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    const RenewalModel model{kModels[i], {}, RepairModel{RepairKind::fixed, nanoseconds(1), 1.0}};
    const Lives lives(model.life);
    std::vector<double> by_minute(5, 0.0);
    std::vector<DownTime> down;
    for (std::uint32_t part = 0; part < kDraws; ++part) {
      down.clear();
      draw_down_times(lives, model, {7, static_cast<std::uint32_t>(i), part}, seconds(300), down);
      for (const DownTime& each : down) {
        ++by_minute[static_cast<std::size_t>(each.from.ns / 60'000'000'000)];
      }
    }
    for (const double failures : by_minute) {
      EXPECT_NEAR(failures / kDraws * kMean / kMinute, 1.0, kNear) << i;
    }
  }
}

TEST(Renewal, StreamsDependOnNothingElse) {
  const RenewalModel model{kModels[1], {}, RepairModel{RepairKind::lognormal, seconds(30), 1.4}};
  const Lives lives(model.life);
  const auto times = [&](std::uint64_t seed, std::uint32_t entry, std::uint32_t part,
                         Duration end) {
    std::vector<DownTime> down;
    draw_down_times(lives, model, {seed, entry, part}, end, down);
    return down;
  };
  const auto whole = times(1, 0, 5, seconds(100'000));
  ASSERT_GT(whole.size(), 50u);
  EXPECT_EQ(times(1, 0, 5, seconds(100'000)), whole);
  EXPECT_NE(times(2, 0, 5, seconds(100'000)), whole);
  EXPECT_NE(times(1, 1, 5, seconds(100'000)), whole);
  EXPECT_NE(times(1, 0, 6, seconds(100'000)), whole);
  const auto part = times(1, 0, 5, seconds(50'000));
  ASSERT_LT(part.size(), whole.size());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
  EXPECT_GE(whole[part.size()].from, Time{} + seconds(50'000));
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    ASSERT_TRUE(whole[i].until.has_value());
    EXPECT_LE(whole[i].from, *whole[i].until);
    EXPECT_LE(*whole[i].until, whole[i + 1].from);
  }
}

TEST(Renewal, WithoutRepairFailsOnce) {
  const RenewalModel model{kModels[0], nanoseconds(0), {}};
  std::vector<DownTime> down;
  draw_down_times(Lives(model.life), model, {1, 0, 0}, seconds(1'000'000), down);
  ASSERT_EQ(down.size(), 1u);
  EXPECT_FALSE(down[0].until.has_value());
}

}  // namespace
}  // namespace holdfast::sim
