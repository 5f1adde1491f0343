// SPDX-License-Identifier: Apache-2.0
//
// The self-tests of SMART EXECUTE OFF-LINE IMMEDIATE (ACS-3 7.48.6, B0h/D4h), and their log (ACS-3 A.10
// Extended SMART Self-Test 07h, A.17 SMART Self-Test 06h). The test reads sectors from flash, one piece after
// the other: the short one 256 pieces of 4 KiB spread over the capacity, the extended one everything. The log
// is kept over losses of power.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "fw/hal/types.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

class SelfTest {
  public:
    /// The upper half of the self-test execution status (ACS-3 7.48.7.4).
    enum class Result : std::uint8_t {
        passed = 0,
        aborted = 1,      ///< by the host
        interrupted = 2,  ///< by a reset
        failed = 3,       ///< for another reason
        read_failed = 7,
        running = 15,
    };
    struct Piece {
        hal::Lba lba;
        std::uint32_t sectors = 0;
    };

    /// True if the LBA field 7:0 of the command names a test that there is.
    [[nodiscard]] static bool known(std::uint8_t number) { return number == kShort || number == kExtended; }
    static constexpr std::uint8_t kShort = 0x01;
    static constexpr std::uint8_t kExtended = 0x02;
    static constexpr std::uint8_t kAbort = 0x7F;
    static constexpr std::uint8_t kCaptive = 0x80;  ///< added to the number: the command ends with the test

    /// Begins a test. REQUIRES: none runs, and known() is true for `number` without kCaptive.
    void begin(std::uint8_t number, std::uint64_t capacity_sectors);
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] bool captive() const { return running_ && (number_ & kCaptive) != 0; }
    /// The piece to read next; none: everything has been read. REQUIRES: running().
    [[nodiscard]] std::optional<Piece> next();
    /// The test has ended, at `at` of the device's life. `unreadable`: the sector that failed.
    void end(Result result, hal::Ps at, std::optional<hal::Lba> unreadable = {});
    /// Byte 363 of SMART data: result, and tenths of the test that remain.
    [[nodiscard]] std::uint8_t execution_status() const;

    [[nodiscard]] LogPage log() const;           ///< 06h
    [[nodiscard]] LogPage extended_log() const;  ///< 07h

  private:
    struct Entry {
        std::uint8_t number = 0;
        std::uint8_t status = 0;
        std::uint16_t hours = 0;
        std::optional<hal::Lba> unreadable;
    };
    /// What log 06h holds; log 07h has two fewer in a page.
    static constexpr std::size_t kEntries = 21;

    std::uint8_t number_ = 0;
    bool running_ = false;
    Result result_ = Result::passed;
    std::uint64_t capacity_ = 0;
    std::uint64_t pieces_ = 0;
    std::uint64_t next_ = 0;
    std::uint8_t remaining_ = 0;
    std::deque<Entry> entries_;  ///< the newest last
};

}  // namespace solidtlm::hw
