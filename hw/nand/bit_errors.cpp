// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/bit_errors.h"

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"

namespace solidtlm::hw {

double raw_bit_error_rate(const RberModel& model, double cycles, double age_days, double reads_per_page) {
    const double rate =
        model.eps + model.alpha * std::pow(cycles, model.k) +
        model.beta * std::pow(cycles, model.m) * std::pow(age_days / model.age_unit_days, model.n) +
        model.gamma * std::pow(cycles, model.p) * std::pow(reads_per_page, model.q);
    return std::clamp(rate, 0.0, 0.5);
}

std::uint32_t binomial_quantile(double u, std::uint32_t trials, double probability) {
    SOLIDTLM_CHECK(u >= 0.0 && u < 1.0 && probability >= 0.0 && probability <= 0.5,
                   "u is in [0, 1), and the probability in [0, 0.5]");
    if (probability <= 0.0 || trials == 0) {
        return 0;
    }
    // Sums term by term, beginning so far below the mean that the terms left out are smaller than the
    // resolution of u.
    constexpr double kDeviations = 12.0;
    const double n = trials;
    const double mean = n * probability;
    const double below = mean - kDeviations * std::sqrt(mean * (1.0 - probability)) - kDeviations;
    auto k = static_cast<std::uint32_t>(std::max(below, 0.0));
    const double log_term = k == 0 ? n * std::log1p(-probability)
                                   : std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                                         k * std::log(probability) + (n - k) * std::log1p(-probability);
    const double odds = probability / (1.0 - probability);
    double term = std::exp(log_term);
    double sum = term;
    while (sum <= u && k < trials) {
        term *= odds * (n - k) / (k + 1.0);
        ++k;
        const double grown = sum + term;
        if (grown == sum && k > mean) {
            break;  // beyond the resolution of the sum
        }
        sum = grown;
    }
    return k;
}

}  // namespace solidtlm::hw
