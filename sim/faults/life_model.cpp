// Inversion where the inverse is known, else rejection from what lies close above.
#include "sim/faults/life_model.hpp"

#include <cmath>

#include "stack/base/assert.hpp"
#include "stack/base/elementary.hpp"

namespace holdfast::sim {

namespace {

// Uniform in (0, 1].
double positive_unit(Random& random) {
  return 1.0 - random.unit();
}

// Exponential with mean 1.
double exponential_variate(Random& random) {
  return -natural_log(positive_unit(random));
}

double normal_variate(Random& random) {
  while (true) {
    const double x = 2.0 * random.unit() - 1.0;
    const double y = 2.0 * random.unit() - 1.0;
    const double square = x * x + y * y;
    if (square >= 1.0 || square == 0.0) continue;
    return x * std::sqrt(-2.0 * natural_log(square) / square);
  }
}

// Normal, given that it is above `least`.
double normal_above(Random& random, double least) {
  if (least <= 0.0) {
    while (true) {
      const double z = normal_variate(random);
      if (z > least) return z;
    }
  }
  const double rate = (least + std::sqrt(least * least + 4.0)) / 2.0;
  while (true) {
    const double z = least + exponential_variate(random) / rate;
    const double off = z - rate;
    if (random.unit() < exponential(-off * off / 2.0)) return z;
  }
}

// Gamma with scale 1; shape >= 1.
double gamma_variate(Random& random, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal_variate(random);
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double limit = x * x / 2.0 + d - d * v + d * natural_log(v);
    if (natural_log(positive_unit(random)) < limit) return d * v;
  }
}

}  // namespace

Lives::Lives(const LifeModel& model) : model_(model) {
  HOLDFAST_ASSERT(model.mean > Duration{0});
  const auto mean = static_cast<double>(model.mean.ns);
  switch (model.kind) {
    case LifeKind::exponential:
      scale_ = mean;
      break;
    case LifeKind::weibull:
      HOLDFAST_ASSERT(model.shape >= 0.1 && model.shape <= 100.0);
      scale_ = mean / gamma_function(1.0 + 1.0 / model.shape);
      break;
    case LifeKind::lognormal:
      HOLDFAST_ASSERT(model.sigma >= 0.01 && model.sigma <= 10.0);
      mu_ = natural_log(mean) - model.sigma * model.sigma / 2.0;
      scale_ = exponential(mu_);
      break;
  }
}

double Lives::whole(Random& random) const {
  switch (model_.kind) {
    case LifeKind::exponential:
      return scale_ * exponential_variate(random);
    case LifeKind::weibull:
      return scale_ * power(exponential_variate(random), 1.0 / model_.shape);
    case LifeKind::lognormal:
      break;
  }
  return scale_ * exponential(model_.sigma * normal_variate(random));
}

double Lives::rest_at_age(Random& random, double age) const {
  if (age == 0.0 || model_.kind == LifeKind::exponential) return whole(random);
  if (model_.kind == LifeKind::weibull) {
    // Survival to t is exp(-(t/s)^k): beyond the age, E more of that exponent are lived.
    const double lived = power(age / scale_, model_.shape);
    const double life = scale_ * power(lived + exponential_variate(random), 1.0 / model_.shape);
    return life > age ? life - age : 0.0;
  }
  const double least = (natural_log(age) - mu_) / model_.sigma;
  const double life = scale_ * exponential(model_.sigma * normal_above(random, least));
  return life > age ? life - age : 0.0;
}

double Lives::rest_in_equilibrium(Random& random) const {
  if (model_.kind == LifeKind::exponential) return whole(random);
  const double share = positive_unit(random);
  if (model_.kind == LifeKind::weibull) {
    const double inverse = 1.0 / model_.shape;
    return share * scale_ * power(gamma_variate(random, 1.0 + inverse), inverse);
  }
  const double sigma = model_.sigma;
  return share * scale_ * exponential(sigma * sigma + sigma * normal_variate(random));
}

double draw_repair(const RepairModel& model, Random& random) {
  HOLDFAST_ASSERT(model.typical > Duration{0});
  const auto typical = static_cast<double>(model.typical.ns);
  switch (model.kind) {
    case RepairKind::fixed:
      return typical;
    case RepairKind::exponential:
      return typical * exponential_variate(random);
    case RepairKind::lognormal:
      break;
  }
  return typical * exponential(model.sigma * normal_variate(random));
}

}  // namespace holdfast::sim
