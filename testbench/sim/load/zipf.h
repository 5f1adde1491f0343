// SPDX-License-Identifier: Apache-2.0
//
// Zipf-distributed ranks: P(k) proportional to k^-theta for k = 1 ... n, any theta >= 0, in constant time and
// memory and without approximation error. Source: W. Hoermann, G. Derflinger, "Rejection-inversion to
// generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996.
#pragma once

#include <cstdint>

#include "testbench/sim/load/random.h"

namespace solidtlm::testbench {

class Zipf {
  public:
    /// REQUIRES: n >= 1, theta >= 0.
    Zipf(std::uint64_t n, double theta);
    /// A rank from 1 (the most frequent) to n.
    std::uint64_t operator()(Random& random) const;

  private:
    [[nodiscard]] double integral(double x) const;  ///< H(x), an antiderivative of x^-theta
    [[nodiscard]] double density(double x) const;   ///< h(x) = x^-theta
    [[nodiscard]] double inverse(double y) const;   ///< H^-1(y)

    std::uint64_t n_;
    double theta_;
    double integral_first_;
    double integral_last_;
    double squeeze_;
};

}  // namespace solidtlm::testbench
