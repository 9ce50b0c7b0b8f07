// Logarithm, exponential, power and gamma function in our own arithmetic: additions,
// multiplications and divisions of doubles in a fixed order, which IEEE 754 makes the same on every
// machine. libm's last bit depends on the processor, and a sampled failure time must not.
//
// Errors are in units of the last place: neighbouring doubles are one unit apart. The tests compare
// with values of 40 digits.
#pragma once

namespace holdfast {

// ln x, within 2 units. x > 0 and finite; subnormal numbers are welcome.
double natural_log(double x);

// e^x, within 2 units; 0 below the least subnormal number, infinity above the largest number. x is
// not NaN.
double exponential(double x);

// x^y = e^(y ln x), with a relative error of at most (2 + 2 |y ln x|) 2^-53: enough for sampling,
// not a replacement of std::pow. x >= 0; 0^y is 0 for y > 0.
double power(double x, double y);

// The gamma function for 0 < x <= 170, with a relative error of at most 10^-12.
double gamma_function(double x);

}  // namespace holdfast
