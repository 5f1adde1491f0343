// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/zipf.h"

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

constexpr double kTiny = 1e-8;  ///< below it, the first terms of the series are exact to double precision

/// log(1 + x) / x
double log1p_over(double x) {
    return std::abs(x) > kTiny ? std::log1p(x) / x : 1 - x / 2;
}

/// (exp(x) - 1) / x
double expm1_over(double x) {
    return std::abs(x) > kTiny ? std::expm1(x) / x : 1 + x / 2;
}

}  // namespace

Zipf::Zipf(std::uint64_t n, double theta)
    : n_(n),
      theta_(theta),
      integral_first_(integral(1.5) - 1),
      integral_last_(integral(static_cast<double>(n) + 0.5)),
      squeeze_(2 - inverse(integral(2.5) - density(2))) {
    SOLIDTLM_CHECK(n >= 1 && theta >= 0.0, "at least one rank, and an exponent that is not negative");
}

double Zipf::integral(double x) const {
    const double log_x = std::log(x);
    return expm1_over((1 - theta_) * log_x) * log_x;
}

double Zipf::density(double x) const {
    return std::exp(-theta_ * std::log(x));
}

double Zipf::inverse(double y) const {
    // Rounding may carry the argument past the pole of the logarithm.
    const double t = std::max(y * (1 - theta_), -1.0);
    return std::exp(log1p_over(t) * y);
}

std::uint64_t Zipf::operator()(Random& random) const {
    while (true) {
        const double u = integral_last_ + random.real() * (integral_first_ - integral_last_);
        const double x = inverse(u);
        const double k = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(n_));
        if (k - x <= squeeze_ || u >= integral(k + 0.5) - density(k)) {
            return std::min(static_cast<std::uint64_t>(k), n_);
        }
    }
}

}  // namespace solidtlm::testbench
