// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "fw/block_map/block_layer.h"
#include "fw/dedup/deduplicator.h"
#include "fw/gc/victim_policy.h"
#include "fw/map_cache/cache_policy.h"
#include "hw/dram/arbiter.h"
#include "hw/nand/arbitration/bus_arbiter.h"
#include "platform/die_blocks.h"
#include "platform/fault_script.h"
#include "platform/key_reader.h"

namespace solidtlm::platform {
namespace {

/// The name of one of a registry, or of `own`, which comes first.
template <class T>
Kind<std::string> registered(std::span<const T* const> all, const hal::Named& own = {}) {
    Names names = names_of(all);
    Names docs;
    for (const T* each : all) {
        docs.emplace_back(each->doc);
    }
    if (!own.name.empty()) {
        names.emplace(names.begin(), own.name);
        docs.emplace(docs.begin(), own.doc);
    }
    return kinds::one_of(std::move(names), std::move(docs));
}

/// As registered(), for a field that keeps a copy of the chosen plan, by which firmware is laid out.
template <class Plan, class T>
Kind<Plan> planned(const Plan& own, std::span<const T* const> all) {
    const auto read = [own, all](std::string_view text) -> std::optional<Plan> {
        const auto found = std::ranges::find(all, text, &T::name);
        return found != all.end() ? std::optional<Plan>(**found)
               : text == own.name ? std::optional(own)
                                  : std::nullopt;
    };
    return {registered(all, own), read, [](const Plan& plan) { return std::string(plan.name); }};
}

}  // namespace

Kind<std::string> KeyWords::bus_arbitration() {
    return registered(hw::bus_arbitrations());
}
Kind<std::string> KeyWords::dram_arbitration() {
    return registered(hw::dram_arbitrations());
}
Kind<std::string> KeyWords::gc_policy() {
    return registered(fw::gc_policies());
}
Kind<std::string> KeyWords::map_cache_policy() {
    return registered(fw::map_cache_policies(), {fw::MapCacheConfig{}.policy, ""});
}
Kind<fw::TranslationPlan> KeyWords::translation_layer() {
    return planned(fw::FirmwareConfig{}.translation, fw::translation_layers());
}
Kind<fw::DedupPlan> KeyWords::dedup_system() {
    return planned(fw::DedupConfig{}.system, fw::dedup_systems());
}
Kind<hw::FaultScript> KeyWords::fault_script() {
    return platform::fault_script();
}
Kind<hw::DieBlocks> KeyWords::die_blocks() {
    return platform::die_blocks();
}

}  // namespace solidtlm::platform
