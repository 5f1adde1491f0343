// SPDX-License-Identifier: Apache-2.0
//
// Asks a drive for SMART data, SMART status and logs (docs/reliability.md, "What the host can ask"), and
// changes and asks for its power mode (docs/energy.md), one question at a time with no other command
// outstanding, and compares the answers with what the host has seen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "hw/sata/fis.h"
#include "testbench/sim/host/command.h"
#include "testbench/sim/host/pass_through.h"

namespace solidtlm::testbench {

class HealthCheck {
  public:
    /// `flash_may_fail`: the drive may report that a threshold is exceeded, and be unable to write its cache.
    explicit HealthCheck(bool flash_may_fail) : flash_may_fail_(flash_may_fail) {}

    /// The next question; some must be refused by the drive.
    [[nodiscard]] hw::RegisterH2d ask(std::mt19937_64& random);
    /// A fault in the answer, if any. `reissued`: number of commands that the host has sent again.
    [[nodiscard]] std::optional<std::string> judge(const PassThrough& answered, std::uint64_t reissued);

    void completed(const Command& command);
    void power_cut(std::uint64_t reissued);

  private:
    enum class Kind : std::uint8_t {
        smart_data,
        smart_status,
        smart_off,
        smart_on,
        log,
        idle,
        standby,
        mode
    };
    static constexpr std::uint8_t kActive = 0xFF;
    static constexpr std::uint8_t kIdle = 0x80;
    static constexpr std::uint8_t kStandby = 0x00;
    enum Counter : std::uint8_t { sectors_written, writes, sectors_read, reads, uncorrectable, counters };
    struct Found {
        Counter counter;
        std::uint64_t count;
    };
    using Verdict = std::optional<std::string>;

    void ask_for_log(std::mt19937_64& random, hw::RegisterH2d& fis);
    [[nodiscard]] bool answer_expected() const;
    [[nodiscard]] Verdict judge_smart(const std::vector<std::byte>& data);
    [[nodiscard]] Verdict judge_status(const PassThrough& answered) const;
    [[nodiscard]] Verdict judge_mode(const PassThrough& answered) const;
    [[nodiscard]] Verdict judge_statistics(const std::vector<std::byte>& data);
    [[nodiscard]] Verdict compare(const std::vector<Found>& found);

    const bool flash_may_fail_;
    Kind kind_ = Kind::log;  // kind of the last question; its parameters follow
    bool known_log_ = true;
    std::uint8_t log_ = 0;
    std::uint32_t first_page_ = 0;
    std::uint32_t pages_ = 0;

    /// COUNT of CHECK POWER MODE; nothing: not known.
    std::optional<std::uint8_t> mode_ = kActive;
    std::optional<bool> smart_ = true;  // whether SMART is enabled; nothing: power was lost during the switch
    bool had_cut_ = false;
    std::array<std::uint64_t, counters> seen_{};  // events that the host has seen since power-on
    /// Counts of the drive before that; nothing: not known yet.
    std::array<std::optional<std::uint64_t>, counters> before_{};
    /// False: a command that was sent again may have been carried out and counted twice.
    bool exact_ = true;
    std::uint64_t reissued_before_ = 0;  // before the last power-on
};

}  // namespace solidtlm::testbench
