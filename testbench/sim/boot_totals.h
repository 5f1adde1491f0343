// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fw/log/boot_report.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// Sums over all completed boots of a drive.
class BootTotals {
  public:
    void add(const fw::BootReport& boot);

    [[nodiscard]] std::uint64_t boots() const { return boots_; }
    [[nodiscard]] hal::Ps time() const { return all_.time; }
    /// Count over all boots; see fw/log/boot_report.h.
    [[nodiscard]] std::uint64_t count(std::string_view what) const;
    /// {"mean", "max"} in microseconds per boot, both null before the first completed boot.
    [[nodiscard]] Json boot_us() const { return us(all_); }
    [[nodiscard]] Json step_us(std::string_view name) const;
    /// The steps in order: {"name", "us", "found"}; "found" is summed over all boots.
    [[nodiscard]] Json steps() const;

  private:
    struct Step {
        std::string name;
        hal::Ps time{0};
        hal::Ps longest{0};
        std::map<std::string, std::uint64_t, std::less<>> found;

        void add_time(hal::Ps of_boot);
    };
    [[nodiscard]] Json us(const Step& step) const;

    std::uint64_t boots_ = 0;
    Step all_;  ///< from power-on to the first command fetched
    std::vector<Step> steps_;
};

}  // namespace solidtlm::testbench
