// SPDX-License-Identifier: Apache-2.0
//
// SMART error logging (ACS-3 4.19.4): the commands that ended with an unreadable sector or a device fault,
// and the commands before each of them. Aborted commands are not errors of the device and are not logged.
// Logs: Summary SMART Error 01h (ACS-3 A.16), Extended Comprehensive SMART Error 03h (ACS-3 A.7). The log is
// kept over losses of power.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "hw/sata/fis.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

/// Hours of a time of the device's life, as logs have it: low word.
inline std::uint16_t life_hours(hal::Ps at) {
    constexpr std::int64_t kPsPerHour = 3'600'000'000'000'000;
    return static_cast<std::uint16_t>(at.count() / kPsPerHour);
}

/// A command that the device took.
struct CommandSeen {
    RegisterH2d fis;
    hal::Ps at{0};             ///< since power-on
    std::uint64_t number = 0;  ///< from 0 on, since power-on
};

class ErrorLog {
  public:
    /// Pages of log 03h, four errors each.
    static constexpr std::uint32_t kPages = 2;

    /// The device takes a command.
    void command(const RegisterH2d& fis, hal::Ps at);
    /// The command taken last. REQUIRES: there is one.
    [[nodiscard]] const CommandSeen& latest() const { return recent_[(seen_ - 1) % kRecent]; }
    /// `command` ended with an error. `answer`: what the host is told, with the LBA of the sector that
    /// failed.
    void error(const CommandSeen& command, const RegisterD2h& answer, hal::Ps at);
    /// Power comes back; the commands before the next error were lost with it.
    void power_on(hal::Ps at) {
        seen_ = 0;
        power_on_ = at;
    }

    [[nodiscard]] LogPage summary() const;  ///< 01h
    /// Page of log 03h. REQUIRES: page < kPages.
    [[nodiscard]] LogPage comprehensive(std::uint32_t page) const;

  private:
    static constexpr std::size_t kCommands = 5;  ///< before each error, the failed one included
    static constexpr std::size_t kOfPage = 4;
    static constexpr std::size_t kMost = kPages * kOfPage;
    static constexpr std::size_t kRecent = 64;  ///< the oldest of 33 outstanding ones, and four before it
    struct Error {
        std::array<CommandSeen, kCommands>
            commands;  ///< the last one failed; those that are not known are zeros
        RegisterD2h answer;
        std::uint16_t hours = 0;
    };

    std::array<CommandSeen, kRecent> recent_;  ///< a ring
    std::uint64_t seen_ = 0;                   ///< commands since power-on
    hal::Ps power_on_{0};
    std::deque<Error> errors_;  ///< the newest last
    std::uint16_t count_ = 0;   ///< all errors; ends at 65535
};

}  // namespace solidtlm::hw
