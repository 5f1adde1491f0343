// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/boot_totals.h"

#include <algorithm>

namespace solidtlm::testbench {

using hal::Ps;

void BootTotals::Step::add_time(Ps of_boot) {
    time += of_boot;
    longest = std::max(longest, of_boot);
}

void BootTotals::add(const fw::BootReport& boot) {
    ++boots_;
    all_.add_time(boot.total());
    for (const fw::BootStep& step : boot.steps()) {
        auto sum = std::ranges::find(steps_, step.name, &Step::name);
        if (sum == steps_.end()) {
            sum = steps_.insert(sum, Step{std::string(step.name), Ps{0}, Ps{0}, {}});
        }
        sum->add_time(step.time);
        for (const fw::BootCount& found : step.found) {
            sum->found[std::string(found.what)] += found.count;
        }
    }
}

std::uint64_t BootTotals::count(std::string_view what) const {
    std::uint64_t sum = 0;
    for (const Step& step : steps_) {
        const auto found = step.found.find(what);
        sum += found == step.found.end() ? 0 : found->second;
    }
    return sum;
}

Json BootTotals::us(const Step& step) const {
    if (boots_ == 0) {
        return {{"mean", nullptr}, {"max", nullptr}};
    }
    const auto microseconds = [](Ps time) { return static_cast<double>(time.count()) / 1e6; };
    return {{"mean", microseconds(step.time) / static_cast<double>(boots_)},
            {"max", microseconds(step.longest)}};
}

Json BootTotals::step_us(std::string_view name) const {
    const auto step = std::ranges::find(steps_, name, &Step::name);
    return us(step == steps_.end() ? Step{} : *step);
}

Json BootTotals::steps() const {
    Json all = Json::array();
    for (const Step& step : steps_) {
        all.push_back({{"name", step.name}, {"us", us(step)}, {"found", step.found}});
    }
    return all;
}

}  // namespace solidtlm::testbench
