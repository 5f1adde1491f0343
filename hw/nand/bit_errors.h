// SPDX-License-Identifier: Apache-2.0
//
// Raw bit errors: the expected rate, and the number that is drawn.
#pragma once

#include <cstdint>

#include "hw/nand/fault_config.h"

namespace solidtlm::hw {

/// Raw bit error rate of a page whose block has had `cycles` program and erase cycles, whose data is
/// `age_days` old, and whose block has had `reads_per_page` reads per page since its erase. At most 0.5.
[[nodiscard]] double raw_bit_error_rate(const RberModel& model, double cycles, double age_days,
                                        double reads_per_page);

/// The least k with P(X <= k) > u for X binomial with `trials` and `probability`: the inverse of the
/// distribution function. It grows with u and with the probability. REQUIRES: 0 <= u < 1 and
/// 0 <= probability <= 0.5.
[[nodiscard]] std::uint32_t binomial_quantile(double u, std::uint32_t trials, double probability);

}  // namespace solidtlm::hw
