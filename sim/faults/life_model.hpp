// How long parts live and how long their repair takes: exponential, Weibull and lognormal lives,
// drawn exactly and with the same bits on every machine.
//
// A model is given by its mean (the `mtbf`). What is drawn is one of three things:
//   a whole life, of a part that is new;
//   the rest of the life of a part that is `age` old and has lived until now;
//   the rest of a life that one looks at in equilibrium, long after the parts were new. The life
//   one meets then is long in proportion to its length (density t f(t) / mean), and the moment is
//   anywhere in it, so the rest is U times such a life (Cox, Renewal Theory, 1962, chapter 5).
//
// With scale s and shape k, a Weibull life is s E^(1/k), E exponential with mean 1; its
// length-biased law has s G^(1/k), G a gamma variate of shape 1 + 1/k. The length-biased law of a
// lognormal life of (mu, sigma) is lognormal with mu + sigma^2. Gamma variates by Marsaglia and
// Tsang (2000), normal ones by Marsaglia's polar method (1964), the tail of the normal by Robert
// (1995): all exact rejections. Times are nanoseconds, as doubles: lives may be longer than any
// clock.
#pragma once

#include <cstdint>
#include <optional>

#include "stack/base/random.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

enum class LifeKind : std::uint8_t { exponential, weibull, lognormal };

struct LifeModel {
  LifeKind kind = LifeKind::exponential;
  Duration mean;       // > 0
  double shape = 1.0;  // weibull: 0.1 … 100; below 1 the young fail most
  double sigma = 1.0;  // lognormal: of the logarithm, 0.01 … 10
  friend bool operator==(const LifeModel&, const LifeModel&) = default;
};

class Lives {
 public:
  explicit Lives(const LifeModel& model);

  double whole(Random& random) const;
  // age >= 0 ns.
  double rest_at_age(Random& random, double age) const;
  double rest_in_equilibrium(Random& random) const;

 private:
  LifeModel model_;
  double scale_ = 0.0;  // exponential: the mean; weibull: s; lognormal: e^mu
  double mu_ = 0.0;
};

enum class RepairKind : std::uint8_t { fixed, exponential, lognormal };

struct RepairModel {
  RepairKind kind = RepairKind::fixed;
  Duration typical;    // the mean; of a lognormal one the median; > 0
  double sigma = 1.0;  // lognormal: 0.01 … 10
  friend bool operator==(const RepairModel&, const RepairModel&) = default;
};

// Nanoseconds that a repair takes.
double draw_repair(const RepairModel& model, Random& random);

}  // namespace holdfast::sim
