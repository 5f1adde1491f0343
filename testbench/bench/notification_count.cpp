// SPDX-License-Identifier: Apache-2.0
#include "testbench/bench/notification_count.h"

#include <cctype>
#include <systemc>
#include <unordered_map>

namespace solidtlm::testbench {
namespace {

using Counts = std::unordered_map<const sc_core::sc_event*, NotificationCount>;

Counts& counts() {
    static Counts instance;
    return instance;
}

bool counting_now = false;

std::string without_numbers(const char* name) {
    std::string text;
    for (; *name != '\0'; ++name) {
        if (std::isdigit(static_cast<unsigned char>(*name)) == 0) {
            text += *name;
        } else if (text.empty() || text.back() != '*') {
            text += '*';
        }
    }
    return text;
}

}  // namespace

void count_notifications() {
    counts().clear();
    counting_now = true;
}

std::map<std::string, NotificationCount> counted_notifications() {
    std::map<std::string, NotificationCount> by_name;
    for (const auto& [event, count] : counts()) {
        by_name[without_numbers(event->name())] += count;
    }
    return by_name;
}

}  // namespace solidtlm::testbench

// The names that --wrap gives to the original and to what takes its place.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __real__ZN7sc_core8sc_event6notifyERKNS_7sc_timeE(sc_core::sc_event* event,
                                                                  const sc_core::sc_time& delay);

extern "C" void __wrap__ZN7sc_core8sc_event6notifyERKNS_7sc_timeE(sc_core::sc_event* event,
                                                                  const sc_core::sc_time& delay) {
    namespace bench = solidtlm::testbench;
    if (bench::counting_now) {
        bench::NotificationCount& count = bench::counts()[event];
        ++(delay == sc_core::SC_ZERO_TIME ? count.delta : count.timed);
    }
    __real__ZN7sc_core8sc_event6notifyERKNS_7sc_timeE(event, delay);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
