// SPDX-License-Identifier: Apache-2.0
//
// For tests: a module that calls functions at given instants, and shares its agenda with the blocks in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "hw/tlm/agenda_module.h"

namespace solidtlm::hw {

class TestActions : public AgendaModule {
  public:
    explicit TestActions(const sc_core::sc_module_name& name, Agenda* agenda = nullptr)
        : AgendaModule(name, agenda) {}

    void at(Ps when, std::function<void()> action) {
        actions_.emplace(++last_, std::move(action));
        AgendaModule::at<&TestActions::act>(when, last_);
    }

  private:
    void act(std::uint64_t number) { actions_.extract(number).mapped()(); }

    std::map<std::uint64_t, std::function<void()>> actions_;
    std::uint64_t last_ = 0;
};

}  // namespace solidtlm::hw
