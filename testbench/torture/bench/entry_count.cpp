// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/bench/entry_count.h"

#include <cctype>
#include <systemc>
#include <vector>

#include "hw/tlm/agenda_module.h"

namespace solidtlm::testbench {
namespace {

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

void count(const std::vector<sc_core::sc_object*>& objects, EntryCount& counts) {
    for (const sc_core::sc_object* object : objects) {
        if (const auto* module = dynamic_cast<const hw::AgendaModule*>(object); module != nullptr) {
            counts.by_module[without_numbers(object->name())] += module->entries_scheduled();
        } else if (const auto* agenda = dynamic_cast<const hw::Agenda*>(object); agenda != nullptr) {
            counts.kernel_events += agenda->wake_ups();
        }
        count(object->get_child_objects(), counts);
    }
}

}  // namespace

EntryCount counted_entries() {
    EntryCount counts;
    count(sc_core::sc_get_top_level_objects(), counts);
    return counts;
}

}  // namespace solidtlm::testbench
