// SPDX-License-Identifier: Apache-2.0
#include "fw/log/boot_report.h"

#include "fw/drive/services.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

using hal::Ps;

void BootReport::begin_step(const Services& services, std::string_view name) {
    end(services);
    steps_.push_back({name, services.executor.now(), Ps{0}, {}});
    open_ = true;
    if (services.probe != nullptr) {
        services.probe->boot_step(services.executor.now(), name);
    }
}

void BootReport::found(std::string_view what, std::uint64_t count) {
    SOLIDTLM_CHECK(open_, "a step of the boot is under way");
    steps_.back().found.push_back({what, count});
}

void BootReport::end(const Services& services) {
    if (!open_) {
        return;
    }
    steps_.back().time = services.executor.now() - steps_.back().begin;
    open_ = false;
    if (services.probe != nullptr) {
        services.probe->boot_step_ended(services.executor.now());
    }
}

Ps BootReport::total() const {
    Ps sum{0};
    for (const BootStep& step : steps_) {
        sum += step.time;
    }
    return sum;
}

Ps BootReport::time(std::string_view name) const {
    Ps sum{0};
    for (const BootStep& step : steps_) {
        sum += step.name == name ? step.time : Ps{0};
    }
    return sum;
}

std::uint64_t BootReport::count(std::string_view what) const {
    std::uint64_t sum = 0;
    for (const BootStep& step : steps_) {
        for (const BootCount& found : step.found) {
            sum += found.what == what ? found.count : 0;
        }
    }
    return sum;
}

}  // namespace solidtlm::fw
