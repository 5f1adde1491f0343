// SPDX-License-Identifier: Apache-2.0
//
// Observes power cuts at given times without a probe: what the drive was doing, and whether a command's data
// was moving. Each cut disconnects the client of tb_disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "platform/ssd.h"
#include "testbench/show/result.h"
#include "testbench/sim/power_cycler.h"

namespace solidtlm::testbench {

class CutWatch : public PowerSwitch {
  public:
    /// `cut_off` is called at each cut.
    explicit CutWatch(std::function<void()> cut_off) : cut_off_(std::move(cut_off)) {}

    void attach(platform::Ssd& ssd, PowerCycler& cycler) override {
        ssd_ = &ssd;
        cycler.tell(*this);
    }
    void power_cut(CutInstant instant) override {
        ++instants_[std::string(kCutInstantNames.at(static_cast<std::size_t>(instant)))];
        in_data_phases_ += ssd_->front_end().in_data_phase() ? 1 : 0;
        cut_off_();
    }

    /// Cuts by what the drive was doing; also, cuts while a command's data was moving.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& instants() const { return instants_; }
    [[nodiscard]] std::uint64_t in_data_phases() const { return in_data_phases_; }

  private:
    std::function<void()> cut_off_;
    platform::Ssd* ssd_ = nullptr;
    std::map<std::string, std::uint64_t> instants_;
    std::uint64_t in_data_phases_ = 0;
};

}  // namespace solidtlm::testbench
