// SPDX-License-Identifier: Apache-2.0
//
// For tests that go through the table of idle keys: drives on which the keys of each rule act, and drives on
// which they do not.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "platform/configuration_keys.h"
#include "platform/idle_keys.h"
#include "platform/plausible_value.h"

namespace solidtlm::platform {

using Settings = std::vector<std::string>;

inline Settings with_setting(Settings settings, std::string more) {
    settings.push_back(std::move(more));
    return settings;
}

/// Settings with which the keys of a rule act, and settings with which they do not, on top of
/// idle_key_drive().
struct IdleCase {
    Settings acting;
    Settings idle;
};

/// One case per rule, in the order of idle_rules().
inline const std::vector<IdleCase>& idle_cases() {
    static const std::string bit_errors = "faults.bit_errors=true";
    static const Settings retried{bit_errors, "nand.ecc.retries=6", "nand.ecc.correctable_bits=50",
                                  "faults.cycles=1500", "faults.age=20d"};
    const auto cached = [](const std::string& policy) {
        return Settings{"firmware.map_cache.policy=" + policy, "firmware.map_cache.size=2KiB",
                        "firmware.map_cache.translation_page=512"};
    };
    const auto slc_cache = [](const std::string& mode, const std::string& size) {
        return Settings{"nand.cell=mlc", "nand.slc.read=20us", "nand.slc.program=200us",
                        "firmware.slc_cache.mode=" + mode, "firmware.slc_cache.size=" + size};
    };
    static const Settings cache = slc_cache("static", "1MiB");
    static const Settings lent = slc_cache("dynamic", "6MiB");
    static const Settings retried_cache = [] {
        Settings both = cache;
        both.insert(both.end(), retried.begin(), retried.end());
        return both;
    }();
    // the host takes time for completed commands, so that the link can sleep
    static const Settings sleeping_link{"host.complete_time=50us", "sata.power.partial_after=1us",
                                        "sata.power.slumber_after=20us", "sata.power.devsleep_after=40us"};
    static const Settings whole_pages{"firmware.unit=8KiB", "firmware.allocation.order=CWDP"};
    static const Settings whole_cached_pages = [] {
        Settings both = cache;
        both.insert(both.end(), whole_pages.begin(), whole_pages.end());
        return with_setting(both, "firmware.slc_cache.full=fold");
    }();
    static const Settings padded{"nand.cell=qlc", "firmware.word_lines.protect=pad"};
    static const Settings some_bad{"nand.geometry.blocks=64", "nand.bad_blocks.factory_fraction=0.05"};
    static const std::vector<IdleCase> cases{
        {{"nand.bus.interface=nv_ddr2"}, {"nand.bus.interface=byte_time"}},
        {{"nand.bus.interface=byte_time"}, {"nand.bus.interface=nv_ddr2"}},
        {{"nand.timing.read=40us,65us"}, {}},
        {padded, {"nand.cell=mlc", "nand.programming=one_shot"}},
        {padded, {}},
        {{}, {"nand.geometry.planes=1"}},
        {some_bad, {}},
        {some_bad, with_setting(some_bad, "nand.geometry.planes=1")},
        {some_bad, {}},
        {{"nand.controller.suspend_erase=true", "nand.controller.suspend_program=true"}, {}},
        {{}, {"nand.ecc.codeword_size=0"}},
        {retried, {bit_errors}},
        {retried_cache, with_setting(cache, "nand.ecc.retries=2")},
        {retried_cache, {bit_errors, "nand.timing.read=35us,60us", "nand.cell=mlc"}},
        {retried, {}},
        {{"faults.lifetime.cycles=10"}, {"faults.lifetime.infant_share=0.001"}},
        {{"faults.lifetime.infant_share=0.5"}, {"faults.lifetime.cycles=1000"}},
        // interfaces
        {{"content=bytes", "host.interface=ahci"}, {"content=bytes"}},
        {sleeping_link, {"host.interface=nvme"}},
        {sleeping_link, {"sata.power.partial_after=0s"}},
        {sleeping_link, {"sata.power.slumber_after=0s"}},
        {sleeping_link, {"sata.power.devsleep_after=0s"}},
        {{"sata.zeros_after_trim=false"}, {"host.interface=nvme"}},
        {{"host.interface=nvme"}, {}},
        {{"host.interface=nvme"}, {"host.interface=nvme", "nvme.queue_entries=2"}},
        {{"host.coalesce_time=10us"}, {"host.interface=nvme"}},
        // page_map
        {{"nand.cell=qlc", "nand.timing.read=40us,50us,60us,70us"}, {"firmware.translation=fast"}},
        {{"firmware.gc.policy=d_choices", "firmware.gc.background_threshold=6"},
         {"firmware.translation=fast"}},
        {{"firmware.gc.policy=d_choices"}, {"firmware.gc.policy=fifo"}},
        {whole_pages, {"firmware.reliability.reclaim_bits=8"}},
        {whole_pages, {"firmware.reliability.parity_dies=2"}},
        {{}, {"firmware.translation=fast"}},
        {{}, {"firmware.translation=bast"}},
        {{}, {"firmware.translation=fmax"}},
        {{}, {"firmware.translation=mtbs"}},
        {{"firmware.read_cache.size=2MiB"}, {}},
        {{"firmware.dedup.system=offline"}, {"firmware.dedup.system=online"}},
        // SLC cache
        {whole_cached_pages, with_setting(whole_cached_pages, "firmware.reliability.reclaim_bits=8")},
        {cache, {"nand.timing.read=35us,60us", "nand.cell=mlc"}},
        {lent, cache},
        {with_setting(slc_cache("hybrid", "2MiB"), "firmware.slc_cache.static_size=1MiB"), lent},
        // block-mapped layers
        {{"firmware.translation=fast"}, {"firmware.translation=mtbs"}},
        {{"firmware.translation=fast"}, {}},
        // map cache
        {{"firmware.map_cache.policy=dftl"}, {}},
        {cached("tafp"), cached("dftl")},
        {cached("bsb"), cached("dftl")},
        {cached("sftl"), cached("tafp")},
        {cached("cftl"), cached("sftl")},
        // deduplication
        {{"firmware.dedup.system=online"}, {}},
        {{"firmware.dedup.system=online"}, {"firmware.dedup.system=offline"}},
        {{"firmware.dedup.system=online"}, {"firmware.dedup.system=offline_crc32"}},
        {{"firmware.dedup.system=offline_crc32"}, {"firmware.dedup.system=offline"}},
        {{"firmware.dedup.system=offline_crc32"}, {"firmware.dedup.system=offline_separated"}},
    };
    return cases;
}

/// The keys that a rule covers.
inline std::vector<const ConfigurationKey*> keys_of(const IdleRule& rule) {
    std::vector<const ConfigurationKey*> covered;
    for (const ConfigurationKey& key : keys()) {
        if (rule.covers(key.name)) {
            covered.push_back(&key);
        }
    }
    return covered;
}

/// A small drive with `settings`. With `varied`, keys without effect are no mistakes.
inline Configuration idle_key_drive(const Settings& settings, bool varied) {
    ConfigurationSources sources;
    sources.preset = "tiny";
    sources.settings = {"ssd.over_provisioning=0.6", "dram.size=64MiB"};
    sources.settings.insert(sources.settings.end(), settings.begin(), settings.end());
    sources.varied = varied;
    return load_configuration(sources);
}

/// "key=value" with a value that differs from the drive's and the built-in one, and that the drive with
/// `acting` accepts; empty if none was found.
inline std::string other_setting(const ConfigurationKey& key, const Settings& acting) {
    std::mt19937_64 random(1);
    const Configuration usual = idle_key_drive(acting, true);
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
        // Values that a range does not describe, or whose effect a short run shows.
        static const std::map<std::string_view, std::string> chosen{
            {"faults.age", "30d"},
            {"firmware.block_map.log_blocks", "6"},
            {"host.nvme.queue_entries", "4"},
            {"firmware.map_cache.bsb_candidates", "full,tafp_8"},
            {"firmware.read_cache.read_ahead", "64KiB"},
            {"firmware.read_cache.streams", "3"},
            {"firmware.slc_cache.largest_write", "4KiB"},
            {"firmware.slc_cache.size", "512KiB"},
            {"firmware.slc_cache.static_size", "512KiB"},
            {"firmware.map_cache.sftl_dirty_share", "0.4"},
            {"firmware.wear.static_threshold", "1"},
            {"firmware.word_lines.protect", "pad"},
            {"nvme.firmware_revision", "x"},
            {"nvme.model", "x"},
            {"nvme.serial", "x"},
            {"sata.firmware_revision", "x"},
            {"sata.model", "x"},
            {"sata.serial", "x"}};
        const auto known = chosen.find(key.name);
        const std::string value = known != chosen.end() ? known->second : plausible_value(key, random);
        const std::string setting = std::string(key.name) + "=" + value;
        try {
            const std::string found = key.get(idle_key_drive(with_setting(acting, setting), true));
            if (found != key.get(usual) && found != key.get(idle_key_drive({}, true)) &&
                found != key.get(Configuration{})) {
                return setting;
            }
        } catch (const ConfigurationError&) {  // draw again
        }
    }
    return {};
}

}  // namespace solidtlm::platform
