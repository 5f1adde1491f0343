// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/bench/bare_event.h"

#include <algorithm>
#include <cstddef>
#include <systemc>
#include <vector>

#include "fw/hal/check.h"
#include "testbench/torture/bench/metered_source.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kStretches = 9;
constexpr std::size_t kEventsAStretch = 200'000;

/// CPU times of stretches of events.
class Stretches {
  public:
    /// Counts an event; true when enough have been counted.
    bool tick() {
        if (events_++ % kEventsAStretch == 0) {
            const double at = cpu_seconds();
            if (events_ > 1) {
                ns_.push_back((at - begin_) * 1e9 / static_cast<double>(kEventsAStretch));
            }
            begin_ = at;
        }
        return ns_.size() == kStretches;
    }
    [[nodiscard]] double median() {
        std::ranges::sort(ns_);
        return ns_[ns_.size() / 2];
    }

  private:
    std::vector<double> ns_;
    std::size_t events_ = 0;
    double begin_ = 0.0;
};

class BareEvents : public sc_core::sc_module {
  public:
    explicit BareEvents(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(BareEvents);
        SC_METHOD(event_method);
        sensitive << event_;
        SC_THREAD(wait_thread);
        sensitive << method_done_;
        dont_initialize();
    }
    Stretches method;
    Stretches thread;

  private:
    void event_method() { method.tick() ? method_done_.notify(step_) : event_.notify(step_); }
    void wait_thread() {
        while (!thread.tick()) {
            wait(step_);
        }
    }

    const sc_core::sc_time step_{10, sc_core::SC_NS};
    sc_core::sc_event event_{"event"};
    sc_core::sc_event method_done_{"method_done"};
};

}  // namespace

BareEventCost measure_bare_event() {
    SOLIDTLM_CHECK(sc_core::sc_get_top_level_objects().empty(), "nothing was elaborated in this process");
    BareEvents events("bare_events");
    sc_core::sc_start();
    return {events.method.median(), events.thread.median()};
}

}  // namespace solidtlm::testbench
