// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "fw/drive/services.h"
#include "fw/hal/flash.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"

namespace solidtlm::fw::testing {

using namespace std::chrono_literals;

/// One die: 1 ms for each program, one after the other.
class OneDie : public hal::Flash {
  public:
    explicit OneDie(FakeClock& clock) : clock_(clock) {}
    void submit(hal::FlashOp& op) override {
        const std::size_t number = seen.size();
        seen.push_back(op);
        if (op.ledger != nullptr) {
            op.ledger->enter(hal::die_wait_for(hal::Holder::host), clock_.now());
            op.ledger->enter(Stage::array, std::max(clock_.now(), free_));
        }
        free_ = std::max(clock_.now(), free_) + 1ms;
        clock_.at(free_, [this, &op, number] {
            op.status = number == failing ? hal::FlashStatus::program_failed : hal::FlashStatus::ok;
            op.plane_status.fill(op.status);
            if (op.ledger != nullptr) {
                op.ledger->enter(Stage::firmware_wait, clock_.now());
            }
            op.done();
        });
    }
    [[nodiscard]] std::uint32_t pending(hal::Channel /*channel*/, hal::Die /*die*/) const override {
        return static_cast<std::uint32_t>(seen.size());
    }
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override {
        return block.block == hal::Block{3};
    }

    std::vector<hal::FlashOp> seen;
    std::size_t failing = ~std::size_t{0};

  private:
    FakeClock& clock_;
    Ps free_{0};
};

/// Two planes with blocks of four word lines of three pages, which are written as a whole.
inline FirmwareConfig four_word_lines() {
    FirmwareConfig config = tiny_config();
    config.flash.planes = 2;
    config.flash.pages = 12;
    config.flash.slc_pages = 4;
    config.flash.pages_per_program = 3;
    config.cycles.flash_issue = 100;
    config.cycles.flash_complete = 50;
    return config;
}

/// What firmware needs to carry out operations on a `Flash`, which is made from a clock.
template <class Flash>
struct FlashBench {
    void run(Task<void> task) {
        executor.spawn(std::move(task));
        core.wake();
        while (clock.run_one()) {
        }
    }

    FirmwareConfig config = tiny_config();
    FakeClock clock;
    Flash flash{clock};
    FakeDram dram{Firmware::dram_bytes(config), config.content};
    Executor executor{clock};
    FakeCore core{clock, executor};
    MediaLayout layout = media_layout(config);
    Services services{config, executor, &flash, &dram, layout};
};

/// What firmware needs to program a `Layer` (FlashLayer) on top of one die. The core has 2 ns per cycle.
template <class Layer>
struct OneDieBench {
    explicit OneDieBench(FirmwareConfig configuration) : config(std::move(configuration)) {}

    void run() {
        core.wake();
        while (clock.run_one()) {
        }
    }

    FirmwareConfig config;
    FakeClock clock;
    OneDie die{clock};
    FakeDram dram{Firmware::dram_bytes(config), config.content};
    Executor executor{clock};
    FakeCore core{clock, executor};
    Layer flash{config, executor, die};
    MediaLayout layout = media_layout(config);
    Services services{config, executor, &flash, &dram, layout};
};

}  // namespace solidtlm::fw::testing
