// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/draw_rules.h"

#include <algorithm>

#include "platform/configuration_keys.h"

namespace solidtlm::testbench {
namespace {

using Rules = std::vector<DrawRule>;

constexpr double kSeldom = 0.03;
constexpr double kNowAndThen = 0.06;  // with this chance per fault, one of four drives has flash that fails

DrawRule between(std::string_view key, std::string_view low, std::string_view high, double chance = -1) {
    return {key, {low, high}, {}, chance, {}};
}
DrawRule one_of(std::string_view key, std::vector<std::string_view> choices, double chance = -1) {
    return {key, {}, std::move(choices), chance, {}};
}
DrawRule with_chance(std::string_view key, double chance) {
    return {key, {}, {}, chance, {}};
}
/// Drawn by draw_focus.cpp together with related keys, and never alone.
DrawRule only_in_focus(std::string_view key, std::string_view why) {
    return {key, {}, {}, 0, why, true};
}
DrawRule not_drawn(std::string_view key, std::string_view why) {
    return {key, {}, {}, 0, why};
}

/// Small drives: a run takes a fraction of a second.
Rules drive_sizes() {
    return {
        not_drawn("ssd.capacity", "ssd.over_provisioning, which it excludes, gives the same drives"),
        between("ssd.over_provisioning", "0.05", "0.95", 0.7),
        one_of("nand.geometry.channels", {"1", "2", "3", "4"}, 0.3),
        one_of("nand.geometry.dies", {"1", "2", "3", "4"}, 0.3),
        one_of("nand.geometry.dies_per_way", {"1", "2", "4"}, 0.3),
        one_of("nand.geometry.planes", {"1", "2", "3", "4", "8"}, 0.3),
        between("nand.geometry.blocks", "1", "40", 0.3),
        one_of("nand.geometry.die_blocks",
               {"\"8\"", "\"0, 9\"", "\"16, 12\"", "\"10, 7\"", "\"12, 16, 8\"", "\"16, 0, 9, 12\"",
                "\"0, 16, 16, 0\"", "\"10, 16, 0, 16, 16, 16\"", "\"16, 0, 7, 9, 16, 16, 0, 13\""},
               0.15),
        between("nand.geometry.pages", "1", "40", 0.3),
        one_of("nand.geometry.page_size",
               {"512", "\"1KiB\"", "\"2KiB\"", "\"4KiB\"", "\"16KiB\"", "1536", "\"12KiB\""}, 0.3),
        between("nand.geometry.spare_size", "0", "2048"),
        one_of("firmware.unit",
               {"512", "\"1KiB\"", "\"2KiB\"", "\"4KiB\"", "\"8KiB\"", "\"16KiB\"", "\"32KiB\""}, 0.5),
        one_of("firmware.read_segment",
               {"512", "1536", "\"4KiB\"", "\"16KiB\"", "\"64KiB\"", "\"128KiB\"", "\"256KiB\""}, 0.4),
        one_of("firmware.write_segment",
               {"512", "1536", "\"4KiB\"", "\"16KiB\"", "\"64KiB\"", "\"128KiB\"", "\"256KiB\""}, 0.4),
        between("firmware.write_buffer.size", "512", "1048576"),
        between("firmware.map_cache.size", "64", "32768", 0.5),
        one_of("firmware.read_cache.size", {"0", "\"64KiB\"", "\"256KiB\"", "\"1MiB\""}, 0.3),
        one_of("firmware.read_cache.read_ahead",
               {"512", "\"4KiB\"", "\"8KiB\"", "\"16KiB\"", "\"32KiB\"", "\"64KiB\""}, 0.9),
        one_of("firmware.read_cache.streams", {"1", "2", "3", "8"}, 0.7),
        one_of("firmware.read_cache.trigger", {"1", "1", "2", "3"}, 0.7),  // 1: after every read
        one_of("firmware.map_cache.translation_page", {"0", "512", "\"1KiB\"", "\"2KiB\"", "\"4KiB\""}),
        between("firmware.map_cache.cftl_heat_groups", "1", "4096"),
        one_of("firmware.recovery.checkpoint_interval",
               {"0", "\"64KiB\"", "\"512KiB\"", "\"1MiB\"", "\"4MiB\""}, 0.5),
        between("firmware.dedup.table_size", "64", "262144", 0.5),
        between("firmware.dedup.shared_size", "256", "65536", 1),  // a checkpoint walks through all of it
        one_of("dram.size", {"65536", "1000000", "\"1MiB\"", "\"8MiB\"", "\"16MiB\"", "\"64MiB\""}, 0.5),
        one_of("dram.bus_bytes", {"1", "2", "4", "8", "16"}),
        one_of("dram.burst_length", {"1", "2", "4", "8", "16", "32"}),
        one_of("dram.banks", {"1", "2", "4", "8", "16", "64"}),
        one_of("dram.row_size", {"512", "\"1KiB\"", "\"2KiB\"", "\"8KiB\"", "\"64KiB\""}),
        one_of("dram.quantum", {"16", "64", "256", "\"1KiB\"", "\"4KiB\"", "\"64KiB\""}),
    };
}

/// Times that let collection and power cuts coincide within a short run.
Rules drive_times() {
    return {
        between("run_ahead", "0s", "1ms"),
        between("nand.bus.byte_time", "1ps", "100ns"),
        between("nand.timing.read", "1ps", "500us", 0.3),  // often enough to meet nand.cell
        between("nand.timing.program", "1ps", "3ms", 0.3),
        between("nand.timing.erase", "1ps", "10ms"),
        between("nand.timing.program_wear", "-1", "10"),
        between("nand.timing.erase_wear", "-1", "10"),
        between("nand.timing.plane_busy", "0s", "100us"),
        between("nand.timing.suspend", "0s", "100us"),
        between("nand.timing.set_features", "0s", "100us"),  // it is added to each retry
        between("nand.ecc.encode_mb_per_s", "10", "5000"),
        between("nand.ecc.decode_mb_per_s", "10", "5000"),
        between("nand.ecc.encode_latency", "0s", "100us"),
        between("nand.ecc.decode_latency", "0s", "100us"),
        between("dram.data_rate_mt_per_s", "20", "20000"),
        between("hash.crc32_per_4k", "0s", "500us"),
        between("hash.md5_per_4k", "0s", "500us"),
        between("core.frequency_mhz", "10", "5000"),
        between("host.submit_time", "0s", "50us", kNowAndThen),
        between("host.complete_time", "0s", "50us", kNowAndThen),
        between("host.hba_read_time", "0s", "50us", kNowAndThen),
        between("host.hba_write_time", "0s", "50us", kNowAndThen),
        between("host.interrupt_latency", "0s", "100us", kNowAndThen),
        between("host.gather_time", "0s", "20us", kNowAndThen),
        between("host.coalesce_time", "1us", "300us", kNowAndThen),
        between("host.coalesce_completions", "0", "40", 0.3),  // together with coalesce_time, which is rare
        between("host.ahci.register_access", "0s", "5us"),
        between("host.ahci.dma_access", "0s", "5us"),
        between("host.ahci.dma_dword", "0s", "20ns"),
        one_of("host.ahci.dma_burst_size", {"0", "16", "64", "\"4KiB\""}),
        one_of("host.ahci.prd_size", {"512", "\"4KiB\"", "\"64KiB\""}),
        between("nvme.queues", "1", "8"),
        between("nvme.queue_entries", "2", "256"),
        between("nvme.command_slots", "1", "70"),
        between("nvme.vectors", "1", "10"),
        one_of("nvme.model", {"\"x\"", "\"0123456789012345678901234567890123456789\""}, kSeldom),
        one_of("nvme.serial", {"\"x\"", "\"01234567890123456789\""}, kSeldom),
        one_of("nvme.firmware_revision", {"\"x\"", "\"01234567\""}, kSeldom),
        one_of("pcie.max_payload", {"128", "256", "512", "\"4KiB\""}),
        one_of("pcie.max_read_request", {"128", "256", "512", "\"4KiB\""}),
        one_of("pcie.completion_size", {"0", "64", "128", "\"4KiB\""}),
        between("pcie.root_latency", "0s", "20us"),
        between("host.nvme.queues", "1", "8"),
        between("host.nvme.queue_entries", "2", "256"),
        between("host.nvme.queue_depth", "1", "64"),
        between("sata.turnaround_dwords", "0", "2000"),
        between("sata.turnaround_time", "0s", "5us", kNowAndThen),
        between("sata.power.partial_after", "1us", "200us", kNowAndThen),
        between("sata.power.slumber_after", "201us", "2ms", kNowAndThen),
        between("sata.power.devsleep_after", "2001us", "20ms", kNowAndThen),
        between("sata.power.partial_exit", "0s", "10us"),
        between("sata.power.slumber_exit", "0s", "2ms"),
        between("sata.power.devsleep_exit", "0s", "5ms"),
        between("sata.power.idle_entry", "0s", "1ms", kNowAndThen),
        between("sata.power.idle_exit", "0s", "1ms", kNowAndThen),
        between("sata.power.standby_entry", "0s", "5ms", kNowAndThen),
        between("sata.power.standby_exit", "0s", "5ms", kNowAndThen),
        between("firmware.cycles.read_command", "0", "20000", kNowAndThen),
        between("firmware.cycles.write_command", "0", "20000", kNowAndThen),
        between("firmware.write_buffer.idle_flush", "0s", "20ms", 0.5),
        between("firmware.idle_threshold", "0s", "20ms", 0.5),
        between("nand.slc.read", "1us", "100us", 0.7),
        between("nand.slc.program", "1us", "500us", 0.7),
    };
}

Rules drive_rules() {
    return {
        // Without contents, nothing is compared. An adapter needs bytes and allows no power cuts.
        one_of("content", {"\"bytes\"", "\"bytes\"", "\"bytes\"", "\"bytes\"", "\"tags\"", "\"none\""}, 0.2),
        with_chance("host.interface", 0.4),
        // Most values of these three keys exclude each other.
        with_chance("firmware.translation", 0.3),
        with_chance("firmware.map_cache.policy", 0.4),
        with_chance("firmware.dedup.system", 0.4),
        one_of("nand.ecc.codeword_size", {"0", "512", "\"1KiB\"", "\"2KiB\"", "\"4KiB\""}),
        between("nand.ecc.parity_size", "0", "256"),
        between("nand.rules.endurance_cycles", "1", "300", kSeldom),
        between("nand.bad_blocks.factory_fraction", "0", "0.05", kSeldom),
        between("sata.max_dsm_blocks", "1", "64"),
        one_of("sata.physical_sector_size", {"512", "\"4KiB\"", "\"16KiB\"", "\"16MiB\""}),
        one_of("sata.model", {"\"x\"", "\"0123456789012345678901234567890123456789\""}, kSeldom),
        one_of("sata.serial", {"\"x\"", "\"01234567890123456789\""}, kSeldom),
        one_of("sata.firmware_revision", {"\"x\"", "\"01234567\""}, kSeldom),
        one_of("firmware.map_cache.bsb_candidates",
               {"\"full\"", "\"tafp_8\"", "\"tafp_8,tafp_64,full\"", "\"tafp_128,full\""}),
        one_of("firmware.map_cache.tafp_bytes", {"8", "12", "64", "256"}),
        one_of("firmware.map_cache.cftl_group", {"2", "4", "16", "128"}),
        one_of("firmware.allocation.order",
               {"\"PCWD\"", "\"CWDP\"", "\"DCPW\"", "\"WPCD\"", "\"PWCD\"", "\"CPDW\"", "\"DWCP\"",
                "\"PDWC\"", "\"WDPC\""},
               0.5),
        between("firmware.allocation.programs_per_die", "1", "8", 0.5),
        between("firmware.gc.d", "1", "64"),
        between("firmware.gc.foreground_threshold", "1", "3", 0.5),
        between("firmware.gc.background_threshold", "2", "8", 0.5),
        between("firmware.gc.pipeline_depth", "1", "8", 0.5),
        between("firmware.gc.idle_threshold", "3", "10"),
        with_chance("firmware.slc_cache.mode", 0.7),  // many settings exclude it
        one_of("firmware.slc_cache.size", {"1", "\"64KiB\"", "\"256KiB\"", "\"4MiB\""}, 0.95),
        one_of("firmware.slc_cache.static_size", {"1", "\"64KiB\""}, 0.95),
        one_of("firmware.slc_cache.largest_write", {"512", "\"4KiB\"", "\"16KiB\"", "\"64KiB\""}, 0.5),
        between("firmware.slc_cache.share", "0.01", "1"),
        between("firmware.slc_cache.fold_below", "0", "2"),
        only_in_focus("nand.power_cut", "without protection data is lost; with it draw_focus.cpp draws it"),
        between("firmware.wear.static_threshold", "0", "20", 0.3),
        between("firmware.block_map.log_blocks", "0", "12"),
    };
}

/// On most drives, flash does not fail: there, any loss is a fault.
Rules flash_faults() {
    return {
        one_of("faults.script",
               {"\"program 1 of block 0/0/0/3\"", "\"program 5 of block 0/0/0/0; erase 1 of block 0/0/0/0\"",
                "\"erase 2 of block 0/0/0/1\"", "\"page 0/0/0/2/1 is uncorrectable\"",
                "\"plane 0/0/0 dies at 3ms\"", "\"die 0/0 dies at 2ms\""},
               2 * kNowAndThen),
        between("faults.program_failure", "0", "0.02", kNowAndThen),
        between("faults.erase_failure", "0", "0.05", kNowAndThen),
        between("faults.lifetime.cycles", "1", "300", kSeldom),
        between("faults.lifetime.shape", "1", "50"),
        with_chance("faults.lifetime.infant_share", kSeldom),
        with_chance("faults.bit_errors", 2 * kNowAndThen),
        between("nand.ecc.correctable_bits", "4", "72"),
        between("nand.ecc.retries", "0", "8"),
        between("nand.ecc.retry_factor", "0.2", "0.9"),
        between("faults.cycles", "0", "5000"),
        one_of("faults.age", {"\"1h\"", "\"30d\"", "\"1y\""}),
        one_of("firmware.reliability.parity_dies", {"2", "3", "4"}, 0.3),
        between("firmware.reliability.patrol", "0s", "20ms"),
    };
}

constexpr std::string_view kMostCycles = "20000";  // most cycles of one firmware step

}  // namespace

std::span<const DrawRule> configuration_rules() {
    static const Rules rules = [] {
        Rules all;
        for (const Rules& some : {drive_sizes(), drive_times(), drive_rules(), flash_faults()}) {
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return rules;
}

std::span<const DrawRule> workload_rules() {
    static const Rules rules{
        not_drawn("pattern", "drawn first, because it says which keys there are"),
        not_drawn("count", "the case's `requests` says it"),
        not_drawn("bytes", "the case's `requests` says it"),
        not_drawn("interval", "`rate` says the same"),
        one_of("size", {"512", "4k", "4k:2/16k:1", "512:1/4k:3/64k:1", "8k", "128k", "3584"}, 0.9),
        one_of("small_size", {"512", "4k:2/8k:1", "4k:0.6/8k:0.25/16k:0.15"}),
        one_of("trim_size", {"512", "4k", "4k:1/1m:1", "16k", "300k"}, 0.7),
        one_of("align", {"512", "4k", "8k", "64k"}),
        one_of("range", {"0-50%", "50%-100%", "10%-30%", "0-1m"}),
        one_of("rate", {"500", "5k", "20k", "100k"}, 0.3),
        between("idle", "1us", "20ms", 0.3),
        between("burst", "1", "64", 0.3),
        between("read", "0", "0.9", 0.9),
        between("trim", "0", "0.5", 0.6),
        between("flush", "1", "50", 0.5),
        between("fua", "0", "1", 0.3),
        between("duplicates", "0", "1", 0.3),
        between("collisions", "0", "1", 0.1),
        one_of("scale", {"device"}, 1),
        between("streams", "1", "8"),
        between("run", "1", "16"),
        between("duplicate_run", "1", "16"),
        between("theta", "0", "3"),
        between("recency", "0", "3"),
        one_of("file", {"4k", "64k", "1m"}, 1),
        between("passes", "1", "4"),
    };
    return rules;
}

const DrawRule* rule_of(std::span<const DrawRule> rules, std::string_view key) {
    static const Rules groups{between("firmware.cycles.", "0", kMostCycles, kSeldom),
                              with_chance("faults.rber.", kSeldom)};
    const auto group =
        std::ranges::find_if(groups, [key](const DrawRule& rule) { return key.starts_with(rule.key); });
    if (group != groups.end()) {
        return &*group;
    }
    const auto found = std::ranges::find(rules, key, &DrawRule::key);
    return found == rules.end() ? nullptr : &*found;
}

}  // namespace solidtlm::testbench
