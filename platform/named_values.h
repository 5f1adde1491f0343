// SPDX-License-Identifier: Apache-2.0
//
// Parameters and metrics of a running drive by name, without types of this project: for tools that configure
// and watch platforms (such as brokers of SystemC CCI, IEEE 1666.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/ssd.h"

namespace solidtlm::platform {

struct NamedValue {
    std::string value;  ///< of a parameter: text for `--set`; of a metric: a decimal number
    std::string unit;   ///< of a metric; empty if it has none
    std::string what;   ///< one line that describes it
};

class NamedValues {
  public:
    /// REQUIRES: `ssd` outlives this object.
    explicit NamedValues(const Ssd& ssd) : ssd_(ssd) {}

    /// Names as in docs/configuration.md: "nand.geometry.channels".
    [[nodiscard]] std::vector<std::string> parameters() const;
    /// None if no parameter has that name. Parameters are fixed when the drive is built.
    [[nodiscard]] std::optional<NamedValue> parameter(std::string_view name) const;

    /// Names as in docs/metrics.md, with the section: "firmware.ftl.free_superblocks",
    /// "hardware.link.to_device.busy_us". Those of the firmware exist while the drive has power and has
    /// booted.
    [[nodiscard]] std::vector<std::string> metrics() const;
    /// The present value. None if no metric has that name at this time.
    [[nodiscard]] std::optional<NamedValue> metric(std::string_view name) const;

  private:
    const Ssd& ssd_;
};

}  // namespace solidtlm::platform
