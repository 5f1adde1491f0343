// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>

#include "fw/block_map/block_layer.h"
#include "fw/dedup/deduplicator.h"
#include "fw/gc/victim_policy.h"
#include "fw/map_cache/cache_policy.h"
#include "hw/dram/arbiter.h"
#include "hw/nand/arbitration/bus_arbiter.h"
#include "platform/configuration_keys.h"

namespace solidtlm::platform {
namespace {

using hal::Ps;

// A pointer to a field however deep, which C++ has no pointer-to-member for.
// clang-format off
#define FIELD(member) ([](Configuration& c) -> auto& { return c.member; })
// clang-format on

constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = 1024 * kKib;
constexpr std::int64_t kTib = kMib * 1024 * 1024;
constexpr std::int64_t kNanosecond = 1'000;
constexpr std::int64_t kMicrosecond = 1'000 * kNanosecond;
constexpr std::int64_t kMillisecond = 1'000 * kMicrosecond;
constexpr std::int64_t kSecond = 1'000 * kMillisecond;

template <class Access>
Key boolean(std::string_view path, Access access, std::string_view doc) {
    return {path, ValueKind::boolean, static_cast<FieldOf<bool>>(access), "", {}, doc};
}

template <class Access>
using FieldPointer = std::add_pointer_t<std::invoke_result_t<Access, Configuration&>(Configuration&)>;

template <class Access>
Key integer(std::string_view path, Access access, std::int64_t low, std::int64_t high, std::string_view unit,
            std::string_view doc) {
    return {path, ValueKind::integer, static_cast<FieldPointer<Access>>(access), unit, {low, high}, doc};
}

template <class Access>
Key number(std::string_view path, Access access, double low, double high, std::string_view unit,
           std::string_view doc) {
    return {path, ValueKind::number, static_cast<FieldOf<double>>(access), unit, {0, 0, low, high}, doc};
}

template <class Access>
Key size(std::string_view path, Access access, std::int64_t low, std::int64_t high, std::string_view doc) {
    return {path, ValueKind::size, static_cast<FieldPointer<Access>>(access), "", {low, high}, doc};
}

template <class Access>
Key duration(std::string_view path, Access access, std::int64_t low, std::int64_t high,
             std::string_view doc) {
    return {path, ValueKind::duration, static_cast<FieldOf<Ps>>(access), "", {low, high}, doc};
}

template <class Access>
Key durations(std::string_view path, Access access, std::int64_t low, std::int64_t high,
              std::string_view doc) {
    return {path, ValueKind::duration_list, static_cast<FieldPointer<Access>>(access), "", {low, high}, doc};
}

template <class Access>
Key text(std::string_view path, Access access, std::int64_t low, std::int64_t high, std::string_view doc) {
    return {path, ValueKind::text, static_cast<FieldOf<std::string>>(access), "", {low, high}, doc};
}

using Names = std::vector<std::string_view>;

/// `names` are those of the field's enumerators, in their order from `first` on.
template <class Access>
Key choice(std::string_view path, Access, const Names& names, std::string_view doc, std::size_t first = 0) {
    using Enum = std::remove_reference_t<std::invoke_result_t<Access, Configuration&>>;
    const ChoiceField field{
        names,
        {},
        [first](Configuration& c, std::size_t n) { Access{}(c) = static_cast<Enum>(first + n); },
        [names, first](Configuration& c) { return names[static_cast<std::size_t>(Access{}(c)) - first]; }};
    return {path, ValueKind::choice, field, "", {}, doc};
}

hal::Named named_in(const std::string& field) {
    return {field, ""};
}
hal::Named named_in(const hal::Named& field) {
    return field;
}

/// One of a registry, of which the field keeps the name or what firmware is laid out by. A default that is
/// none of them comes first.
template <class Access, class T>
Key registered(std::string_view path, Access, std::span<const T* const> all, std::string_view doc) {
    using Value = std::remove_reference_t<std::invoke_result_t<Access, Configuration&>>;
    Names names;
    Names docs;
    std::ranges::transform(all, std::back_inserter(names), &T::name);
    std::ranges::transform(all, std::back_inserter(docs), &T::doc);
    static const Configuration defaults;
    const Value& usual = Access{}(const_cast<Configuration&>(defaults));
    const bool own_default = std::ranges::find(names, named_in(usual).name) == names.end();
    if (own_default) {
        names.insert(names.begin(), named_in(usual).name);
        docs.insert(docs.begin(), named_in(usual).doc);
    }
    const auto set = [all, first = Value(usual), own_default](Configuration& c, std::size_t n) {
        if (own_default && n == 0) {
            Access{}(c) = first;
        } else if constexpr (std::is_same_v<Value, std::string>) {
            Access{}(c) = all[n - (own_default ? 1 : 0)]->name;
        } else {
            Access{}(c) = *all[n - (own_default ? 1 : 0)];
        }
    };
    const ChoiceField field{names, docs, set, [](Configuration& c) { return named_in(Access{}(c)).name; }};
    return {path, ValueKind::choice, field, "", {}, doc};
}

using Keys = std::vector<Key>;

Keys general_keys() {
    return {
        integer("seed", FIELD(seed), 0, kMaxInteger, "",
                "Seed of everything random in the firmware and the workload; same seed, same result."),
        choice(
            "content", FIELD(content), {"none", "tags", "bytes"},
            "What sectors contain in every block: none (fast), tags (a 64-bit identity a sector, every read "
            "can be verified), bytes (real contents)."),
        number(
            "ssd.over_provisioning", FIELD(over_provisioning), 0.0, 0.95, "",
            "Spare capacity as a fraction of the raw capacity, (T - U) / T. Not together with ssd.capacity."),
        size("ssd.capacity", FIELD(capacity_bytes), 512, kMaxInteger,
             "Capacity the host sees; over-provisioning follows. Not together with ssd.over_provisioning."),
    };
}

Keys geometry_keys() {
    return {
        integer("nand.geometry.channels", FIELD(nand.geometry.channels), 1, 64, "",
                "Channels, each with its own bus and flash controller."),
        integer("nand.geometry.dies", FIELD(nand.geometry.dies), 1, 64, "", "Dies a channel."),
        integer("nand.geometry.dies_per_way", FIELD(nand.geometry.dies_per_way), 1, 64, "",
                "Dies that share a package and its chip enable; divides dies."),
        integer("nand.geometry.planes", FIELD(nand.geometry.planes), 1, 8, "", "Planes a die."),
        integer("nand.geometry.blocks", FIELD(nand.geometry.blocks), 1, 65'536, "", "Blocks a plane."),
        integer("nand.geometry.pages", FIELD(nand.geometry.pages), 1, 16'384, "", "Pages a block."),
        size("nand.geometry.page_size", FIELD(nand.geometry.page_bytes), 512, 64 * kKib,
             "Data area of a page, a multiple of 512 bytes and of firmware.unit."),
        size("nand.geometry.spare_size", FIELD(nand.geometry.spare_bytes), 0, 64 * kKib,
             "Spare area of a page; must hold the ECC parity and the firmware's metadata."),
    };
}

Keys nand_time_keys() {
    return {
        choice(
            "nand.bus.interface", FIELD(nand.bus.interface),
            {"sdr", "nv_ddr", "nv_ddr2", "nv_ddr3", "byte_time"},
            "Data interface of the channel bus (ONFI 4.x); byte_time: a fixed time a byte, for old studies."),
        integer("nand.bus.mode", FIELD(nand.bus.mode), 0, 12, "",
                "ONFI timing mode: sdr 0-5, nv_ddr 0-5, nv_ddr2 0-9, nv_ddr3 0-12. Ignored with byte_time."),
        duration(
            "nand.bus.byte_time", FIELD(nand.bus.byte_time), 1, kMicrosecond,
            "Time of one byte on the bus, command and address cycles included; byte_time interface only."),
        durations("nand.timing.read", FIELD(nand.timing.read), 1, 100 * kMillisecond,
                  "tR in page order of a repeating group: one entry for SLC, two for MLC, three for TLC."),
        durations("nand.timing.program", FIELD(nand.timing.program), 1, kSecond,
                  "tPROG, the same way; as many entries as read, or one."),
        duration("nand.timing.erase", FIELD(nand.timing.erase), 1, 10 * kSecond, "tBERS."),
        duration("nand.timing.cache_busy", FIELD(nand.timing.cache_busy), 0, 10 * kMillisecond,
                 "tRCBSY, tCBSY at least: register to cache register."),
        duration("nand.timing.plane_busy", FIELD(nand.timing.plane_busy), 0, 10 * kMillisecond,
                 "tDBSY: between the planes of a multi-plane sequence."),
        duration("nand.timing.suspend", FIELD(nand.timing.suspend), 0, 10 * kMillisecond,
                 "Time to suspend a program or an erase, and again to resume it."),
        duration("nand.timing.reset", FIELD(nand.timing.reset), 0, 10 * kMillisecond, "tRST of an idle die."),
    };
}

Keys nand_rule_keys() {
    return {
        boolean("nand.rules.sequential_pages", FIELD(nand.rules.sequential_pages),
                "The pages of a block must be programmed in ascending order."),
        integer("nand.rules.max_partial_programs", FIELD(nand.rules.max_partial_programs), 1, 64, "",
                "NOP: programs of one page between two erases."),
        boolean("nand.rules.multi_plane_same_block", FIELD(nand.rules.multi_plane_same_block),
                "Multi-plane operations also need equal block numbers."),
        integer("nand.rules.endurance_cycles", FIELD(nand.rules.endurance_cycles), 0, 4'294'967'295, "erases",
                "Erases of a block after which programs and erases fail; 0: unlimited."),
        number("nand.bad_blocks.factory_fraction", FIELD(nand.bad_blocks.factory_fraction), 0.0, 0.2, "",
               "Probability that a block is bad when the drive leaves the factory."),
        integer("nand.bad_blocks.seed", FIELD(nand.bad_blocks.seed), 0, kMaxInteger, "",
                "Chooses the individual drive: which of its blocks are bad. Independent of seed."),
        registered("nand.controller.arbitration", FIELD(nand.controller.arbitration), hw::bus_arbitrations(),
                   "Who gets the channel bus next."),
        boolean("nand.controller.reads_overtake", FIELD(nand.controller.reads_overtake),
                "In a die's queue, reads go before programs and erases."),
        boolean("nand.controller.suspend_program", FIELD(nand.controller.suspend_program),
                "A waiting host read suspends a running program."),
        boolean("nand.controller.suspend_erase", FIELD(nand.controller.suspend_erase),
                "A waiting host read suspends a running erase."),
        integer("nand.controller.max_suspends", FIELD(nand.controller.max_suspends), 1, 1'000, "",
                "Suspensions of one program or erase, so that it ends."),
    };
}

Keys ecc_keys() {
    return {
        size("nand.ecc.codeword_size", FIELD(nand.ecc.codeword_bytes), 0, 64 * kKib,
             "Data of a codeword, a multiple of 512 that divides the page; 0 switches ECC off."),
        size("nand.ecc.parity_size", FIELD(nand.ecc.parity_bytes), 0, 64 * kKib,
             "Parity of a codeword; crosses the bus with it."),
        number("nand.ecc.encode_mb_per_s", FIELD(nand.ecc.encode_mb_per_s), 1.0, 1e6, "MB/s",
               "Encoder throughput of each channel's engine."),
        number("nand.ecc.decode_mb_per_s", FIELD(nand.ecc.decode_mb_per_s), 1.0, 1e6, "MB/s",
               "Decoder throughput of each channel's engine."),
        duration("nand.ecc.encode_latency", FIELD(nand.ecc.encode_latency), 0, 10 * kMillisecond,
                 "Pipeline latency of one codeword."),
        duration("nand.ecc.decode_latency", FIELD(nand.ecc.decode_latency), 0, 10 * kMillisecond,
                 "Pipeline latency of one codeword."),
    };
}

Keys dram_keys() {
    return {
        size("dram.size", FIELD(dram.size_bytes), 4 * kKib, kTib,
             "Buffer memory: map table, write buffer, read windows, garbage collection."),
        number("dram.data_rate_mt_per_s", FIELD(dram.data_rate_mt_per_s), 1.0, 20'000.0, "MT/s",
               "Transfers a second on the data bus."),
        integer("dram.bus_bytes", FIELD(dram.bus_bytes), 1, 16, "bytes",
                "Width of the data bus, a power of two."),
        integer("dram.burst_length", FIELD(dram.burst_length), 1, 32, "transfers",
                "Transfers of a burst, a power of two."),
        integer("dram.banks", FIELD(dram.banks), 1, 64, "", "Banks, a power of two."),
        size("dram.row_size", FIELD(dram.row_bytes), 512, 64 * kKib, "Row of a bank, a power of two."),
        duration("dram.t_cas", FIELD(dram.t_cas), 0, kMicrosecond, "CL."),
        duration("dram.t_rcd", FIELD(dram.t_rcd), 0, kMicrosecond, "Activate to read or write."),
        duration("dram.t_rp", FIELD(dram.t_rp), 0, kMicrosecond, "Precharge to activate."),
        size("dram.quantum", FIELD(dram.quantum_bytes), 16, 64 * kKib,
             "A long transfer gives way after this much; a multiple of a burst."),
        registered("dram.arbitration", FIELD(dram.arbitration), hw::dram_arbitrations(),
                   "Who is served next."),
    };
}

Keys controller_keys() {
    return {
        duration("hash.crc32_per_4k", FIELD(hash.crc32_per_4k), 0, kSecond,
                 "CRC32 of 4 KiB in the hash unit; other sizes in proportion."),
        duration("hash.md5_per_4k", FIELD(hash.md5_per_4k), 0, kSecond,
                 "MD5 of 4 KiB in the hash unit; other sizes in proportion."),
        number("core.frequency_mhz", FIELD(core.frequency_mhz), 1.0, 10'000.0, "MHz",
               "Clock of the firmware core."),
    };
}

Keys sata_keys() {
    return {
        choice("sata.generation", FIELD(sata.generation), {"gen1", "gen2", "gen3"}, "1.5, 3 or 6 Gb/s.",
               static_cast<std::size_t>(hw::SataGeneration::gen1)),
        integer("sata.turnaround_dwords", FIELD(sata.turnaround_dwords), 0, 10'000, "dwords",
                "X_RDY/R_RDY, WTRM/R_OK, SYNC and PHY latency of each FIS."),
        integer("sata.queue_depth", FIELD(sata.queue_depth), 1, 32, "", "NCQ tags (IDENTIFY word 75)."),
        boolean("sata.auto_activate", FIELD(sata.auto_activate),
                "DMA Setup auto-activate for writes (IDENTIFY word 78 bit 2)."),
        integer("sata.max_dsm_blocks", FIELD(sata.max_dsm_blocks), 1, 65'535, "",
                "512-byte blocks a DATA SET MANAGEMENT command may carry (IDENTIFY word 105)."),
        boolean("sata.deterministic_after_trim", FIELD(sata.deterministic_after_trim),
                "DRAT: a trimmed sector always reads the same (IDENTIFY word 69 bit 14)."),
        boolean(
            "sata.zeros_after_trim", FIELD(sata.zeros_after_trim),
            "RZAT: a trimmed sector reads zeros (IDENTIFY word 69 bit 5); needs deterministic_after_trim."),
        boolean("sata.write_cache", FIELD(sata.write_cache), "Power-on state of the volatile write cache."),
        integer("sata.coalesce_completions", FIELD(sata.coalesce_completions), 1, 32, "",
                "Completions one Set Device Bits FIS may carry when they pile up."),
        size("sata.physical_sector_size", FIELD(sata.physical_sector_bytes), 512, 16 * kMib,
             "Physical sector as reported (IDENTIFY word 106): 512 bytes times a power of two."),
        text("sata.model", FIELD(sata.model), 1, 40, "IDENTIFY words 27-46."),
        text("sata.serial", FIELD(sata.serial), 1, 20, "IDENTIFY words 10-19."),
        text("sata.firmware_revision", FIELD(sata.firmware_revision), 1, 8, "IDENTIFY words 23-26."),
    };
}

Keys firmware_keys() {
    return {
        size("firmware.unit", FIELD(firmware.unit_bytes), 512, 32 * kKib,
             "Mapping unit: a power of two that divides the page; at most 64 sectors."),
        size("firmware.read_segment", FIELD(firmware.read_segment_bytes), 512, 32 * kMib,
             "Part of a read that is gathered before it is sent; a multiple of firmware.unit."),
        size("firmware.write_segment", FIELD(firmware.write_segment_bytes), 512, 32 * kMib,
             "Part of a write that is received at once; a multiple of firmware.unit."),
        registered("firmware.translation", FIELD(firmware.translation), fw::translation_layers(),
                   "page_map: every page anywhere; the others keep logical blocks together and merge "
                   "(block-map.md)."),
        size("firmware.write_buffer.size", FIELD(firmware.write_buffer.size_bytes), 512, kTib,
             "Write buffer in DRAM; at least one superpage and one write segment."),
        choice("firmware.write_buffer.policy", FIELD(firmware.write_buffer.policy),
               {"write_back", "write_through"},
               "write_back: a write completes in the buffer; write_through: in flash."),
        duration("firmware.write_buffer.idle_flush", FIELD(firmware.write_buffer.idle_flush), 0,
                 3'600 * kSecond, "Write a partly filled superpage after this much idle time; 0s: never."),
        registered("firmware.map_cache.policy", FIELD(firmware.map_cache.policy), fw::map_cache_policies(),
                   "full_table: the whole map in DRAM; the others keep part of it there, the rest on flash."),
        size("firmware.map_cache.size", FIELD(firmware.map_cache.size_bytes), 1, kTib,
             "DRAM for cached entries and what it takes to find and order them; not for full_table."),
        size("firmware.map_cache.tafp_bytes", FIELD(firmware.map_cache.tafp_bytes), 8, 256,
             "tafp: entries brought in on a miss, 4 bytes each."),
        text("firmware.map_cache.bsb_candidates", FIELD(firmware.map_cache.bsb_candidates), 4, 100,
             "bsb: windows to choose from, by comma: full (a translation page) and tafp_N (N bytes of "
             "entries)."),
        number("firmware.map_cache.bsb_decay", FIELD(firmware.map_cache.bsb_decay), 0.0, 0.999999, "",
               "bsb: what is left of a window's score at each page request."),
        boolean("firmware.map_cache.bsb_balance", FIELD(firmware.map_cache.bsb_balance),
                "bsb: a window scores only if its runs would still be in a cache of this size."),
        number("firmware.map_cache.sftl_dirty_share", FIELD(firmware.map_cache.sftl_dirty_share), 0.0, 0.5,
               "", "sftl: share of the size for single dirty entries whose page has left."),
        integer("firmware.map_cache.sftl_sparse_limit", FIELD(firmware.map_cache.sftl_sparse_limit), 0, 1'024,
                "entries", "sftl: most dirty entries of a page that go there instead of being written."),
        integer("firmware.map_cache.cftl_group", FIELD(firmware.map_cache.cftl_group), 2, 128, "units",
                "cftl: logical pages that one block entry stands for: a power of two."),
        integer("firmware.map_cache.cftl_heat_groups", FIELD(firmware.map_cache.cftl_heat_groups), 1,
                1'048'576, "counters",
                "cftl: request counters of 4 bits, shared by the groups that hash to one."),
        size("firmware.map_cache.translation_page", FIELD(firmware.map_cache.translation_page_bytes), 0,
             64 * kKib,
             "Part of the map that is read and written at once: a power of two from 512 bytes to a page; 0: "
             "the largest."),
        choice(
            "firmware.trim.persist", FIELD(firmware.recovery.trims), {"lazy", "journal", "immediate"},
            "What of a TRIM survives a power cut. lazy: nothing; journal: what a FLUSH followed; immediate: "
            "every TRIM that has completed."),
        size("firmware.recovery.checkpoint_interval", FIELD(firmware.recovery.checkpoint_interval), 0, kTib,
             "A checkpoint of the map on flash after this much was programmed, which bounds the time of a "
             "boot "
             "after a power cut; 0: none."),
        text(
            "firmware.allocation.order", FIELD(firmware.allocation.order), 4, 4,
            "Striping: a permutation of C (channel), W (way), D (die), P (plane); the first varies fastest."),
        choice("firmware.allocation.mode", FIELD(firmware.allocation.mode), {"static", "dynamic"},
               "static: the logical address decides; dynamic: the least busy unit."),
        choice("firmware.allocation.striping", FIELD(firmware.allocation.striping), {"full", "none"},
               "full: over every parallel unit; none: one block is filled after another."),
        integer("firmware.allocation.programs_per_die", FIELD(firmware.allocation.programs_per_die), 1, 1'024,
                "", "Programs queued at a die before another die is chosen."),
        registered("firmware.gc.policy", FIELD(firmware.gc.policy), fw::gc_policies(),
                   "Which block is collected."),
        integer("firmware.gc.d", FIELD(firmware.gc.d), 1, 65'536, "", "d_choices: blocks drawn."),
        integer("firmware.gc.foreground_threshold", FIELD(firmware.gc.foreground_threshold), 1, 65'536,
                "superblocks", "Host writes to a parallel unit wait at or below this many free superblocks."),
        integer("firmware.gc.background_threshold", FIELD(firmware.gc.background_threshold), 2, 65'536,
                "superblocks", "Garbage collection runs below this many; above foreground_threshold."),
        boolean("firmware.gc.copy_back", FIELD(firmware.gc.copy_back),
                "Move whole pages inside the die where every unit is still valid."),
        integer("firmware.gc.pipeline_depth", FIELD(firmware.gc.pipeline_depth), 1, 256, "superpages",
                "Superpages of one garbage collection in flight."),
        boolean("firmware.wear.dynamic", FIELD(firmware.wear.dynamic),
                "Take the free superblock with the fewest erases."),
        integer("firmware.wear.static_threshold", FIELD(firmware.wear.static_threshold), 0, 4'294'967'295,
                "erases", "Move cold data when erase counts differ by more; 0: off."),
    };
}

Keys block_map_keys() {
    return {
        integer("firmware.block_map.log_blocks", FIELD(firmware.block_map.log_blocks), 0, 1'048'576, "blocks",
                "Log or mirror blocks in use at most; superblock: blocks beyond those that the data fill. "
                "0: 3 % of the blocks, and what the layer needs at least. Not for page_map and mtbs."),
        integer("firmware.block_map.associativity", FIELD(firmware.block_map.associativity), 1, 65'536,
                "blocks", "kast: logical blocks that share a random log block (K)."),
        integer("firmware.block_map.sequential_logs", FIELD(firmware.block_map.sequential_logs), 1, 65'536,
                "blocks", "kast: sequential log blocks at most."),
        integer("firmware.block_map.superblock_blocks", FIELD(firmware.block_map.superblock_blocks), 1, 1'024,
                "blocks", "superblock: adjacent logical blocks of a superblock (N)."),
        integer("firmware.block_map.superblock_logs", FIELD(firmware.block_map.superblock_logs), 1, 1'024,
                "blocks", "superblock: blocks that a superblock may have beyond these (K)."),
    };
}

Keys dedup_keys() {
    return {
        registered(
            "firmware.dedup.system", FIELD(firmware.dedup.system), fw::dedup_systems(),
            "Logical pages with equal contents share a physical one: found when they are written (online) "
            "or when the host is idle (dedup.md)."),
        size("firmware.dedup.table_size", FIELD(firmware.dedup.table_bytes), 1, kTib,
             "DRAM for fingerprints or CRC32 values, 48 or 36 bytes each; offline_separated: half for each."),
        size("firmware.dedup.shared_size", FIELD(firmware.dedup.shared_bytes), 1, kTib,
             "DRAM for shared pages, 16 bytes each."),
        duration("firmware.dedup.idle_threshold", FIELD(firmware.dedup.idle_threshold), 0, 3'600 * kSecond,
                 "Time without a command before the host counts as idle; 0s: as soon as none is "
                 "outstanding."),
        integer(
            "firmware.dedup.sampling", FIELD(firmware.dedup.sampling), 1, 1'024, "pages",
            "online: of this many pages one is hashed first, the others only if it is known; 1: all are."),
        choice("firmware.dedup.protection", FIELD(firmware.dedup.protection),
               {"none", "capacitor", "journal"},
               "online: what keeps the records of duplicates over a power cut."),
    };
}

Keys cycle_keys() {
    const auto cycles = [](std::string_view path, auto access, std::string_view doc) {
        return integer(path, access, 0, 10'000'000, "cycles", doc);
    };
    return {
        cycles("firmware.cycles.command_fetch", FIELD(firmware.cycles.command_fetch),
               "Take a command from the queue, hazard check."),
        cycles("firmware.cycles.command_complete", FIELD(firmware.cycles.command_complete),
               "Status back to the device."),
        cycles("firmware.cycles.unit_lookup", FIELD(firmware.cycles.unit_lookup),
               "Translate one mapping unit, without the DRAM access."),
        cycles("firmware.cycles.buffer_lookup", FIELD(firmware.cycles.buffer_lookup),
               "Search the write buffer for one unit."),
        cycles("firmware.cycles.buffer_insert", FIELD(firmware.cycles.buffer_insert),
               "Put one unit into the write buffer."),
        cycles("firmware.cycles.flash_issue", FIELD(firmware.cycles.flash_issue),
               "Build and ring one flash descriptor."),
        cycles("firmware.cycles.flash_complete", FIELD(firmware.cycles.flash_complete),
               "Handle one flash completion."),
        cycles("firmware.cycles.transfer_issue", FIELD(firmware.cycles.transfer_issue),
               "Start one host transfer."),
        cycles("firmware.cycles.allocate", FIELD(firmware.cycles.allocate),
               "Choose die, block and page for one superpage."),
        cycles("firmware.cycles.map_update", FIELD(firmware.cycles.map_update),
               "Write one map entry and both valid counts."),
        cycles("firmware.cycles.trim_range", FIELD(firmware.cycles.trim_range), "Parse one range."),
        cycles("firmware.cycles.trim_unit", FIELD(firmware.cycles.trim_unit), "Unmap one unit."),
        cycles("firmware.cycles.gc_select", FIELD(firmware.cycles.gc_select), "Choose a victim."),
        cycles("firmware.cycles.gc_unit", FIELD(firmware.cycles.gc_unit), "Check and move one unit."),
        cycles("firmware.cycles.cache_search", FIELD(firmware.cycles.cache_search),
               "Find an entry in the map cache."),
        cycles("firmware.cycles.cache_order", FIELD(firmware.cycles.cache_order),
               "Relink an entry of the map cache in the order of use."),
        cycles("firmware.cycles.cache_insert", FIELD(firmware.cycles.cache_insert),
               "Put what a miss brought into the map cache."),
        cycles("firmware.cycles.cache_evict", FIELD(firmware.cycles.cache_evict),
               "Choose a victim in the map cache and take it out."),
        cycles("firmware.cycles.log_search", FIELD(firmware.cycles.log_search),
               "Look a page up among those of the log blocks."),
        cycles("firmware.cycles.merge_choose", FIELD(firmware.cycles.merge_choose),
               "Decide what is merged, and from where."),
        cycles("firmware.cycles.merge_page", FIELD(firmware.cycles.merge_page),
               "Find, move and remap one page of a merge."),
        cycles("firmware.cycles.dedup_search", FIELD(firmware.cycles.dedup_search),
               "Look a fingerprint or CRC32 value up."),
        cycles("firmware.cycles.dedup_insert", FIELD(firmware.cycles.dedup_insert),
               "Put one into its table, or take it out."),
        cycles("firmware.cycles.dedup_share", FIELD(firmware.cycles.dedup_share),
               "Make a logical page refer to a shared one."),
        cycles("firmware.cycles.dedup_compare", FIELD(firmware.cycles.dedup_compare),
               "Load, load and compare 8 bytes of two pages."),
    };
}

}  // namespace

const std::vector<Key>& keys() {
    static const Keys all_keys = [] {
        Keys all;
        for (const auto& group : {general_keys(), geometry_keys(), nand_time_keys(), nand_rule_keys(),
                                  ecc_keys(), dram_keys(), controller_keys(), sata_keys(), firmware_keys(),
                                  block_map_keys(), dedup_keys(), cycle_keys()}) {
            all.insert(all.end(), group.begin(), group.end());
        }
        return all;
    }();
    return all_keys;
}

}  // namespace solidtlm::platform
