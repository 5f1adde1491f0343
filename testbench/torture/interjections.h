// SPDX-License-Identifier: Apache-2.0
//
// Commands that a case's host sends between those of its source: questions about the drive's health, and
// WRITE UNCORRECTABLE EXT.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/simulation.h"
#include "testbench/sim/verify/uncorrectable_marks.h"
#include "testbench/torture/health_check.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {

class Interjections : public Interjector {
  public:
    /// Which commands may fail because of flash.
    enum class Flash : std::uint8_t {
        sound,
        may_fail,
        readable,  ///< flash fails, but parity compensates: writes may fail, reads may not
    };
    /// `sent` is updated and must outlive this object.
    Interjections(const PreparedCase& prepared, Flash flash, SentRequests& sent);

    void begin(Host& host) override {
        host_ = &host;
        ata_ = dynamic_cast<AtaHost*>(&host);
    }
    [[nodiscard]] std::uint64_t expected_failures() const override { return expected_failures_; }
    [[nodiscard]] std::vector<std::string> faults() const override { return faults_; }
    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override {}
    void power_cut(CutInstant instant) override;

  private:
    void interject(const Command& after);
    void answered();
    void judge_read(const Command& command);
    void fault(std::string text);
    [[nodiscard]] bool chance(double share);

    const double questions_;
    const double uncorrectable_;
    const bool zeros_after_trim_;
    const std::uint64_t sectors_;
    const Flash flash_;
    std::mt19937_64 random_;
    SentRequests& sent_;
    Host* host_ = nullptr;
    AtaHost* ata_ = nullptr;  ///< host_ as an AtaHost, which can send further commands; null: it is none
    PassThrough command_;
    bool asked_ = false;    // command_ is outstanding
    bool marking_ = false;  // command_ is WRITE UNCORRECTABLE EXT
    HealthCheck health_;
    UncorrectableMarks marks_;
    std::map<std::uint64_t, UncorrectableMarks::Stops> reads_;  // outstanding reads, by sequence number
    std::uint64_t expected_failures_ = 0;
    std::vector<std::string> faults_;
};

}  // namespace solidtlm::testbench
