// SPDX-License-Identifier: Apache-2.0
//
// QEMU's qtest protocol, as far as a machine without processor needs it: a line is a command, and its answer
// is a line that begins with OK or FAIL.
//
//   writeb|writew|writel|writeq ADDRESS VALUE     OK
//   readb|readw|readl|readq ADDRESS               OK 0xVALUE, 16 digits
//   read ADDRESS SIZE                             OK 0xBYTES, two digits each
//   write ADDRESS SIZE 0xBYTES                    OK; bytes that are missing are 0
//   memset ADDRESS SIZE VALUE                     OK
//   clock_step [NS]                               OK NS: the time, when it has passed, or the next thing has
//                                                 happened
//
// Numbers are decimal, 0x hexadecimal, or octal with a 0 before them, as C has them. Everything else is FAIL
// with a reason, and so is what the machine refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

/// A machine that qtest controls. Accesses return false if the machine refuses them.
class QtestMachine {
  public:
    virtual bool load(std::uint64_t address, std::span<std::byte> bytes) = 0;
    virtual bool store(std::uint64_t address, std::span<const std::byte> bytes) = 0;
    /// Lets `ns` pass or, without a value, runs until something happens. Returns the time in ns; nothing:
    /// that would be after hal::kHorizon, and no time has passed.
    virtual std::optional<std::uint64_t> step(std::optional<std::uint64_t> ns) = 0;

  protected:
    ~QtestMachine() = default;
};

/// The longest `clock_step`: an hour.
constexpr std::uint64_t kMostQtestNs = std::uint64_t{3600} * 1'000'000'000;
/// The longest `read`, `write` and `memset`.
constexpr std::uint64_t kMostQtestBytes = std::uint64_t{64} << 20U;

/// The answer to a line, without a newline.
std::string answer_qtest(QtestMachine& machine, std::string_view line);

}  // namespace solidtlm::testbench
