// SPDX-License-Identifier: Apache-2.0
//
// Parameters and metrics of a drive by name, while it runs, without types of this project: for tools that
// configure and watch platforms (brokers of SystemC CCI, IEEE 1666.1, among them).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/ssd.h"

namespace solidtlm::platform {

struct NamedValue {
    std::string value;  ///< of a parameter as `--set` takes it; of a metric a decimal number
    std::string unit;   ///< of a metric; empty: none
    std::string what;   ///< one line of what it is
};

class NamedValues {
  public:
    /// REQUIRES: `ssd` outlives this.
    explicit NamedValues(const Ssd& ssd) : ssd_(ssd) {}

    /// Names as in docs/configuration.md: "nand.geometry.channels".
    [[nodiscard]] std::vector<std::string> parameters() const;
    /// Null: no parameter has that name. Parameters are fixed when the drive is built.
    [[nodiscard]] std::optional<NamedValue> parameter(std::string_view name) const;

    /// Names as in docs/metrics.md, with the section: "firmware.ftl.free_superblocks",
    /// "hardware.link.to_device.busy_us". Those of the firmware are there while the drive has power and has
    /// booted.
    [[nodiscard]] std::vector<std::string> metrics() const;
    /// Its value up to now. Null: no metric has that name at this time.
    [[nodiscard]] std::optional<NamedValue> metric(std::string_view name) const;

  private:
    const Ssd& ssd_;
};

}  // namespace solidtlm::platform
