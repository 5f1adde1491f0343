// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_checks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "fw/block_map/needs.h"
#include "fw/flash/needs.h"
#include "fw/flash/spare.h"
#include "fw/hal/check.h"
#include "fw/hal/flash.h"
#include "fw/map_cache/bsb_candidates.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/needs.h"
#include "fw/needs.h"
#include "fw/page_map/needs.h"
#include "fw/parity/die_group.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration_keys.h"
#include "platform/configuration_rules.h"
#include "platform/die_blocks.h"
#include "platform/fault_script.h"
#include "platform/idle_keys.h"
#include "platform/interface_facts.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

constexpr std::uint64_t kMaxUnits = 0xFFFF'FFFF;  ///< all ones in Lpn and Ppa means "none"

/// Keys that decide how much of the flash is left for data; those of the areas of rooms come in addition.
constexpr std::array<std::string_view, 21> kSetAside{"nand.geometry.blocks",
                                                     "nand.geometry.die_blocks",
                                                     "nand.bad_blocks.factory_fraction",
                                                     "firmware.gc.foreground_threshold",
                                                     "firmware.slc_cache.mode",
                                                     "firmware.slc_cache.size",
                                                     "firmware.slc_cache.static_size",
                                                     "firmware.slc_cache.full",
                                                     "firmware.slc_cache.largest_write",
                                                     "firmware.allocation.order",
                                                     "firmware.allocation.striping",
                                                     "firmware.translation",
                                                     "firmware.block_map.log_blocks",
                                                     "firmware.reliability.parity_dies",
                                                     "firmware.unit",
                                                     "nand.rules.multi_plane_same_block",
                                                     "nand.geometry.pages",
                                                     "nand.geometry.page_size",
                                                     "nand.geometry.planes",
                                                     "nand.geometry.dies",
                                                     "nand.geometry.channels"};

std::string text(std::uint64_t value) {
    return std::to_string(value);
}

void add(std::vector<std::string_view>& keys, const fw::NeedKeys& needs) {
    std::ranges::copy_if(needs, std::back_inserter(keys), [](std::string_view key) { return !key.empty(); });
}

/// kSetAside, and the keys of all areas.
std::vector<std::string_view> set_aside_keys() {
    std::vector<std::string_view> keys(kSetAside.begin(), kSetAside.end());
    for (const fw::FlashArea* area : fw::flash_areas()) {
        add(keys, area->keys);
    }
    return keys;
}

/// A value that follows from other keys must be allowed for its own key. Returns whether it is.
bool require_derived(const Configuration& c, const Derived& derived, const std::string& value, Rules& rules) {
    const ConfigurationKey* key = find_key(derived.key);
    SOLIDTLM_CHECK(key != nullptr, "the key exists");
    Configuration scratch = c;
    const bool taken = key->set(value, scratch);
    std::string found;
    for (const std::string_view from : derived.from) {
        found += (found.empty() ? "" : " and ") + std::string(from) + " = " + find_key(from)->get(c);
    }
    rules.require(taken, derived.from,
                  "found " + found + ", which make" + (derived.from.size() == 1 ? "s " : " ") +
                      std::string(derived.key) + " " + value + "; allowed there: " + key->allowed());
    return taken;
}

/// Returns whether all derived values are allowed; otherwise rules that use them cannot be checked.
bool check_derived(const Configuration& c, const Origins& origins, Rules& rules) {
    bool all = true;
    for (const Derived& derived : origins.derived) {
        all = require_derived(c, derived, find_key(derived.key)->get(c), rules) && all;
    }
    return all;
}

/// Returns whether mapping units and pages fit together. If not, rules that count units cannot be checked.
bool check_geometry(const Configuration& c, Rules& rules) {
    const hw::NandGeometry& nand = c.nand.geometry;
    const bool whole_ways = nand.dies % nand.dies_per_way == 0;
    rules.require(whole_ways, {"nand.geometry.dies_per_way", "nand.geometry.dies"},
                  "found " + text(nand.dies_per_way) + " dies per way; allowed: a divisor of the " +
                      text(nand.dies) + " dies of a channel");
    const bool whole_sectors = nand.page_bytes % hal::kSectorBytes == 0;
    rules.require(whole_sectors, {"nand.geometry.page_size"},
                  "found " + text(nand.page_bytes) + " bytes; allowed: a multiple of 512");
    require_power_of_two(rules, "firmware.unit", c.firmware.unit_bytes);
    const bool whole_units = nand.page_bytes % c.firmware.unit_bytes == 0;
    rules.require(whole_units, {"firmware.unit", "nand.geometry.page_size"},
                  "mapping unit of " + text(c.firmware.unit_bytes) + " bytes and pages of " +
                      text(nand.page_bytes) + " bytes; allowed: a page holds one or more whole units");
    const std::uint64_t numbered = nand.numbered_bytes() / c.firmware.unit_bytes;
    const bool few_units = numbered < kMaxUnits;
    rules.require(few_units,
                  {"nand.geometry.channels", "nand.geometry.dies", "nand.geometry.planes",
                   "nand.geometry.blocks", "nand.geometry.pages", "nand.geometry.page_size", "firmware.unit"},
                  "found " + text(numbered) + " mapping units in " + format_size(nand.numbered_bytes()) +
                      " of flash; allowed: fewer than 4294967295 (32-bit unit numbers)");
    const bool dies_fit = check_die_blocks(c, rules);
    return whole_ways && whole_sectors && whole_units && few_units && dies_fit &&
           std::has_single_bit(c.firmware.unit_bytes);
}

void check_bus(const Configuration& c, Rules& rules) {
    static constexpr std::array<std::uint32_t, 5> kHighestMode{5, 5, 9, 12, 12};
    const auto interface = static_cast<std::size_t>(c.nand.bus.interface);
    rules.require(c.nand.bus.mode <= kHighestMode[interface], {"nand.bus.mode", "nand.bus.interface"},
                  "found mode " + text(c.nand.bus.mode) + " of " + find_key("nand.bus.interface")->get(c) +
                      "; allowed: modes 0 to " + text(kHighestMode[interface]));
}

void check_array_times(const Configuration& c, Rules& rules) {
    const std::size_t reads = c.nand.timing.read.size();
    const std::size_t programs = c.nand.timing.program.size();
    rules.require(reads == programs || reads == 1 || programs == 1,
                  {"nand.timing.program", "nand.timing.read"},
                  "found " + text(reads) + " read and " + text(programs) +
                      " program times; allowed: equally many, or one of either");
    if (c.nand.cell == hw::NandCell::by_times) {
        return;
    }
    const std::uint32_t pages = hw::pages_per_word_line(c.nand);
    const std::string word_line = "pages of a word line with " + find_key("nand.cell")->get(c) + " cells";
    const auto require_times = [&](std::string_view key, std::size_t found) {
        rules.require(found == 1 || found == pages, {"nand.cell", key},
                      "found " + text(found) + " times in " + std::string(key) + "; allowed: 1" +
                          (pages == 1 ? "" : " or " + text(pages)) + ", the " + word_line);
    };
    require_times("nand.timing.read", reads);
    require_times("nand.timing.program", programs);
    rules.require(c.nand.geometry.pages % pages == 0, {"nand.cell", "nand.geometry.pages"},
                  "found " + text(c.nand.geometry.pages) + " pages in a block; allowed: a multiple of " +
                      text(pages) + ", the " + word_line);
}

/// Of a spare area, beside what every page has there.
std::uint32_t record_bytes(const fw::FirmwareConfig& firmware) {
    return firmware.flash.copies_lower_pages() ? fw::kBackupRecordBytes : 0;
}

void check_spare_area(const Configuration& c, Rules& rules) {
    const hw::NandGeometry& nand = c.nand.geometry;
    const hw::EccConfig& ecc = c.nand.ecc;
    const std::uint32_t record = record_bytes(c.firmware);
    rules.require(c.nand.metadata_bytes <= hal::kMaxSpareBytes,
                  {"firmware.unit", "nand.geometry.page_size", "firmware.word_lines.protect"},
                  "found " + text(nand.page_bytes / c.firmware.unit_bytes) +
                      " mapping units per page, which need " + text(c.nand.metadata_bytes) +
                      " bytes of metadata; allowed: at most " + text(hal::kMaxSpareBytes) + " bytes, " +
                      text((hal::kMaxSpareBytes - fw::spare_bytes(0) - record) /
                           (fw::spare_bytes(1) - fw::spare_bytes(0))) +
                      " units");
    if (ecc.codeword_bytes != 0) {
        rules.require(
            ecc.codeword_bytes % hal::kSectorBytes == 0 && nand.page_bytes % ecc.codeword_bytes == 0,
            {"nand.ecc.codeword_size", "nand.geometry.page_size"},
            "found codewords of " + text(ecc.codeword_bytes) + " bytes in pages of " + text(nand.page_bytes) +
                " bytes; allowed: a multiple of 512 that divides the page, or 0 for no ECC");
    }
    const std::uint64_t codewords = ecc.codeword_bytes == 0 ? 0 : nand.page_bytes / ecc.codeword_bytes;
    const std::uint64_t needed = codewords * ecc.parity_bytes + c.nand.metadata_bytes;
    rules.require(needed <= nand.spare_bytes,
                  {"nand.geometry.spare_size", "nand.geometry.page_size", "nand.ecc.codeword_size",
                   "nand.ecc.parity_size", "firmware.unit", "firmware.word_lines.protect"},
                  "found a spare area of " + text(nand.spare_bytes) + " bytes; allowed: at least " +
                      text(needed) + " (" + text(codewords) + " codewords with " + text(ecc.parity_bytes) +
                      " bytes of parity, " + text(c.nand.metadata_bytes) + " of metadata)");
}

void check_faults(const Configuration& c, Rules& rules) {
    const std::string misplaced = misplaced_fault(c.nand.faults.script, c.nand.geometry);
    rules.require(misplaced.empty(),
                  {"faults.script", "nand.geometry.channels", "nand.geometry.dies", "nand.geometry.planes",
                   "nand.geometry.blocks", "nand.geometry.pages"},
                  "found \"" + misplaced + "\"; allowed: places that the flash array has, counted from 0");
    const bool ecc = c.nand.ecc.codeword_bytes != 0;
    rules.require(ecc || !c.nand.faults.bit_errors, {"faults.bit_errors", "nand.ecc.codeword_size"},
                  "found bit errors without ECC; allowed: a codeword size other than 0");
    rules.require(ecc || c.nand.ecc.retries == 0, {"nand.ecc.retries", "nand.ecc.codeword_size"},
                  "found read retries without ECC; allowed: a codeword size other than 0");
}

void check_parity(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    const std::uint32_t dies = firmware.reliability.parity_dies;
    if (!firmware.reliability.parity()) {
        return;
    }
    const hw::NandGeometry& nand = c.nand.geometry;
    const std::string found = "found groups of " + text(dies) + " dies; allowed: ";
    rules.require(nand.channels % dies == 0, {"firmware.reliability.parity_dies", "nand.geometry.channels"},
                  found + "a divisor of the " + text(nand.channels) + " channels");
    rules.require(std::uint64_t{nand.planes} * (dies - 1) <= hal::kMaxPlanesPerOp,
                  {"firmware.reliability.parity_dies", "nand.geometry.planes"},
                  found + "at most " + text(hal::kMaxPlanesPerOp) + " planes on all dies but one");
    rules.require(!firmware.by_block(), {"firmware.reliability.parity_dies", "firmware.translation"},
                  found + "none with a block-mapped firmware.translation");
    rules.require(fw::planes_per_parallel_unit(firmware.allocation.order, firmware.flash.planes) ==
                      firmware.flash.planes,
                  {"firmware.reliability.parity_dies", "firmware.allocation.order"},
                  found + "an order that begins with P, so that whole stripes are programmed");
    rules.require(firmware.dedup.protection != fw::DedupProtection::capacitor,
                  {"firmware.reliability.parity_dies", "firmware.dedup.protection"},
                  found + "none with a capacitor, which programs single pages");
}

/// Data bytes programmed at once: a page, or word line, on each plane when the order varies the plane
/// fastest.
std::uint64_t superpage_bytes(const Configuration& c) {
    const std::uint64_t planes =
        fw::planes_per_parallel_unit(c.firmware.allocation.order, c.firmware.flash.planes);
    return planes * c.firmware.flash.pages_per_program * c.nand.geometry.page_bytes;
}

void check_dram(const Configuration& c, Rules& rules) {
    rules.require(c.dram.size_bytes % hal::kSectorBytes == 0, {"dram.size"},
                  "found " + text(c.dram.size_bytes) + " bytes; allowed: a multiple of 512");
    require_power_of_two(rules, "dram.bus_bytes", c.dram.bus_bytes);
    require_power_of_two(rules, "dram.burst_length", c.dram.burst_length);
    require_power_of_two(rules, "dram.banks", c.dram.banks);
    require_power_of_two(rules, "dram.row_size", c.dram.row_bytes);
    const std::uint32_t burst = c.dram.bus_bytes * c.dram.burst_length;
    rules.require(c.dram.quantum_bytes % burst == 0, {"dram.quantum", "dram.bus_bytes", "dram.burst_length"},
                  "found " + text(c.dram.quantum_bytes) + " bytes; allowed: a multiple of a burst (" +
                      text(burst) + " bytes)");
}

/// Returns whether rules about the map area can be checked.
bool check_map_cache(const Configuration& c, Rules& rules) {
    const fw::MapCacheConfig& cache = c.firmware.map_cache;
    if (cache.whole_map()) {
        return true;
    }
    const std::uint32_t page = cache.translation_page_bytes;
    const bool page_fits = page == 0 || (std::has_single_bit(page) && page >= hal::kSectorBytes &&
                                         page <= c.nand.geometry.page_bytes);
    rules.require(page_fits, {"firmware.map_cache.translation_page", "nand.geometry.page_size"},
                  "found a translation page of " + text(page) +
                      " bytes; allowed: a power of two from 512 to the page size of " +
                      text(c.nand.geometry.page_bytes) + " bytes, or 0 for the largest of these");
    if (!page_fits) {
        return false;
    }
    const bool whole_entries = cache.tafp_bytes % fw::kMapEntryBytes == 0;
    rules.require(whole_entries, {"firmware.map_cache.tafp_bytes"},
                  "found a window of " + text(cache.tafp_bytes) +
                      " bytes; allowed: a multiple of an entry (" + text(fw::kMapEntryBytes) + " bytes)");
    require_power_of_two(rules, "firmware.map_cache.cftl_group", cache.cftl_group);
    const std::uint32_t entries = fw::map_area_size(c.firmware, 1).entries;
    const bool candidates = cache.policy != "bsb" || !fw::bsb_windows(cache.bsb_candidates, entries).empty();
    rules.require(candidates, {"firmware.map_cache.bsb_candidates", "firmware.map_cache.translation_page"},
                  "found \"" + cache.bsb_candidates +
                      "\"; allowed: names by comma, none twice: full, and tafp_N with N a multiple of " +
                      text(fw::kMapEntryBytes) + " up to a translation page (" +
                      text(std::uint64_t{entries} * fw::kMapEntryBytes) + " bytes)");
    if (whole_entries && candidates) {
        const std::uint64_t least = fw::smallest_cache(c.firmware);
        rules.require(cache.size_bytes >= least,
                      {"firmware.map_cache.size", "firmware.map_cache.policy",
                       "firmware.map_cache.translation_page", "firmware.map_cache.tafp_bytes"},
                      "found a map cache of " + text(cache.size_bytes) + " bytes; allowed: at least " +
                          text(least) + ", what " + cache.policy +
                          " needs for the entries of one miss with their bookkeeping");
    }
    return true;
}

/// Good blocks that a plane can be relied on to have: the expected number minus five standard deviations of a
/// binomial distribution (one plane in 3.5 million has fewer). If a block must be the same in all planes of a
/// parallel unit, it is bad as soon as it is bad in one of them.
std::uint32_t dependable_blocks(const Configuration& c) {
    const double blocks = c.nand.geometry.blocks;
    double bad = c.nand.bad_blocks.factory_fraction;
    const fw::FirmwareConfig& firmware = c.firmware;
    if (firmware.flash.same_block) {
        const std::uint32_t planes =
            fw::planes_per_parallel_unit(firmware.allocation.order, firmware.flash.planes);
        bad =
            1.0 - std::pow(1.0 - bad, planes + (firmware.reliability.parity() ? c.nand.geometry.planes : 0));
    }
    const double good = std::floor(blocks * (1.0 - bad) - 5.0 * std::sqrt(blocks * bad * (1.0 - bad)));
    return good > 0.0 ? static_cast<std::uint32_t>(good) : 0;
}

/// Returns whether rules about capacity and tables of a block-mapped layer can be checked.
bool check_block_map(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    if (!firmware.by_block()) {
        return true;
    }
    const bool whole_pages = firmware.unit_bytes == c.nand.geometry.page_bytes;
    rules.require(whole_pages, {"firmware.unit", "firmware.translation", "nand.geometry.page_size"},
                  "found a mapping unit of " + text(firmware.unit_bytes) + " bytes; allowed: with this " +
                      "firmware.translation a page (" + text(c.nand.geometry.page_bytes) +
                      " bytes), at most 32768");
    rules.require(firmware.map_cache.whole_map(), {"firmware.map_cache.policy", "firmware.translation"},
                  "found a map cache with a block-mapped firmware.translation; allowed: full_table, the "
                  "others cache a page map");
    const fw::RecoveryConfig& recovery = firmware.recovery;
    rules.require(
        recovery.trims == fw::TrimPersistence::lazy && recovery.checkpoint_interval == 0,
        {"firmware.trim.persist", "firmware.recovery.checkpoint_interval", "firmware.translation"},
        "found a recovery log with a block-mapped firmware.translation; allowed: trim.persist = lazy and no "
        "checkpoints");
    const std::uint32_t least_logs = firmware.translation.traits.least_logs;
    const std::uint32_t logs = firmware.block_map.log_blocks;
    const bool enough_logs = logs == 0 || logs >= least_logs;
    rules.require(enough_logs, {"firmware.block_map.log_blocks", "firmware.translation"},
                  "found " + text(logs) + " log blocks; allowed: at least " + text(least_logs) +
                      " with this firmware.translation, or 0 for automatic");
    fw::FirmwareConfig in_pages = firmware;  // so that the other rules can be checked
    in_pages.unit_bytes = firmware.flash.page_bytes;
    const fw::BlockGeometry geometry = fw::block_geometry(in_pages, dependable_blocks(c));
    const bool halves = fw::data_pages(firmware.translation, geometry) > 0;
    rules.require(halves, {"nand.geometry.pages", "firmware.translation"},
                  "found " + text(c.nand.geometry.pages) +
                      " pages per block; allowed: at least 2, a data half and a spare half (mtbs)");
    const bool few_logs = logs != 0 || require_derived(c,
                                                       {"firmware.block_map.log_blocks",
                                                        {"nand.geometry.blocks", "firmware.translation"}},
                                                       text(fw::log_blocks(in_pages, geometry)), rules);
    return whole_pages && enough_logs && halves && few_logs;
}

void check_segments(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    const auto whole_units = [&](std::string_view key, std::uint64_t bytes) {
        rules.require(bytes % firmware.unit_bytes == 0, {key, "firmware.unit"},
                      "found " + text(bytes) + " bytes; allowed: a multiple of firmware.unit (" +
                          text(firmware.unit_bytes) + " bytes)");
    };
    whole_units("firmware.read_segment", firmware.read_segment_bytes);
    whole_units("firmware.write_segment", firmware.write_segment_bytes);
    whole_units("firmware.write_buffer.size", firmware.write_buffer.size_bytes);
    const std::uint64_t least = superpage_bytes(c) + firmware.write_segment_bytes;
    rules.require(firmware.write_buffer.size_bytes >= least,
                  {"firmware.write_buffer.size", "firmware.write_segment", "nand.programming",
                   "firmware.word_lines.protect", "nand.geometry.planes", "nand.geometry.page_size",
                   "firmware.allocation.order"},
                  "found a write buffer of " + text(firmware.write_buffer.size_bytes) +
                      " bytes; allowed: at least " + text(least) + " (one superpage of " +
                      text(superpage_bytes(c)) + " and one write segment)");
}

void check_firmware(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    rules.require(firmware.gc.background_threshold > firmware.gc.foreground_threshold,
                  {"firmware.gc.background_threshold", "firmware.gc.foreground_threshold"},
                  "found background_threshold " + text(firmware.gc.background_threshold) +
                      " with foreground_threshold " + text(firmware.gc.foreground_threshold) +
                      "; allowed: background_threshold above foreground_threshold");
    rules.require(firmware.by_block() || firmware.gc.pacing == fw::GcPacing::burst ||
                      firmware.gc.background_threshold >=
                          firmware.gc.foreground_threshold + fw::GcConfig::kPacingSuperblocks,
                  {"firmware.gc.background_threshold", "firmware.gc.pacing"},
                  "found background_threshold " + text(firmware.gc.background_threshold) +
                      " with foreground_threshold " + text(firmware.gc.foreground_threshold) +
                      " and paced; allowed: with pacing, at least foreground_threshold + " +
                      text(fw::GcConfig::kPacingSuperblocks));
    rules.require(firmware.by_block() || firmware.gc.idle_threshold == 0 || firmware.gc.in_idle_time(),
                  {"firmware.gc.idle_threshold", "firmware.gc.background_threshold"},
                  "found idle_threshold " + text(firmware.gc.idle_threshold) + " with background_threshold " +
                      text(firmware.gc.background_threshold) + "; allowed: 0, or above background_threshold");
    std::string sorted = firmware.allocation.order;
    std::ranges::sort(sorted);
    rules.require(sorted == "CDPW", {"firmware.allocation.order"},
                  "found \"" + firmware.allocation.order +
                      "\"; allowed: a permutation of the letters C, W, D and P, such as \"PCWD\"");
}

/// `room`: true if log and spare blocks leave some for data.
void require_room_for_data(const Configuration& c, bool room, Rules& rules) {
    const fw::BlockGeometry geometry = fw::block_geometry(c.firmware, dependable_blocks(c));
    const std::uint32_t least = c.firmware.translation.traits.least_logs;
    const std::uint32_t logs = least == 0 ? 0 : std::max(least, c.firmware.block_map.log_blocks);
    rules.require(room,
                  {"nand.geometry.blocks", "firmware.block_map.log_blocks", "firmware.allocation.striping",
                   "firmware.translation", "nand.bad_blocks.factory_fraction"},
                  "found " + text(geometry.blocks) + " blocks of " + text(geometry.pages) +
                      " pages; allowed: more than " + text(logs + fw::kSpareBlocks) + " good ones (" +
                      text(logs) + " for the log, " + text(fw::kSpareBlocks) + " for merges)");
}

/// The key that sets the exported capacity.
std::string_view asked_capacity(const Configuration& c) {
    return c.capacity_bytes != 0 ? "ssd.capacity" : "ssd.over_provisioning";
}

/// What takes how many bytes: "map table 12288, write buffer 262144".
std::string dram_shares(const fw::DramMap& map) {
    std::string parts;
    std::string_view what;
    std::uint64_t bytes = 0;
    const auto end_part = [&] {
        if (bytes > 0) {
            parts += (parts.empty() ? "" : ", ") + std::string(what) + " " + text(bytes);
        }
    };
    for (const fw::DramMap::Place& place : map.places()) {
        if (place.region->what != what) {
            end_part();
            what = place.region->what;
            bytes = 0;
        }
        bytes += place.bytes;
    }
    end_part();
    return parts;
}

/// Compares the size of the DRAM with what the firmware stores there, for at most the capacity that the flash
/// can hold: check_capacity() reports a larger one.
void check_dram_size(const Configuration& c, Rules& rules) {
    fw::FirmwareConfig firmware = c.firmware;
    const std::uint64_t most =
        std::max<std::uint64_t>(1, fw::max_exported_units(firmware, dependable_blocks(c)));
    firmware.exported_sectors =
        std::min(firmware.exported_sectors, most * (firmware.unit_bytes / hal::kSectorBytes));
    const fw::DramMap map = fw::dram_map(firmware, fw::media_layout(firmware));
    std::vector<std::string_view> keys{"dram.size", asked_capacity(c)};
    for (const fw::DramRegion* region : fw::dram_regions()) {
        add(keys, region->keys);
    }
    keys.insert(keys.end(),
                {"firmware.unit", "firmware.translation", "nand.geometry.channels", "nand.geometry.dies",
                 "nand.geometry.planes", "nand.geometry.blocks", "nand.geometry.pages",
                 "nand.geometry.page_size", "nand.programming", "firmware.word_lines.protect"});
    rules.require(map.end() <= c.dram.size_bytes, keys,
                  "found a DRAM (dram.size) of " + text(c.dram.size_bytes) + " bytes; allowed: at least " +
                      text(map.end()) + " (" + dram_shares(map) + ")");
}

void check_capacity(const Configuration& c, Rules& rules) {
    const std::string_view asked = asked_capacity(c);
    rules.require(c.capacity_bytes % c.firmware.unit_bytes == 0, {"ssd.capacity", "firmware.unit"},
                  "found " + text(c.capacity_bytes) + " bytes; allowed: a multiple of firmware.unit (" +
                      text(c.firmware.unit_bytes) + " bytes)");
    if (c.capacity_bytes != 0 && c.over_provisioning >= 0.0) {  // a capacity beyond the flash: see below
        (void)require_derived(c, {"ssd.over_provisioning", {"ssd.capacity"}},
                              find_key("ssd.over_provisioning")->get(c), rules);
    }
    const std::uint64_t exported = c.exported_bytes() / c.firmware.unit_bytes;
    const std::uint64_t most = fw::max_exported_units(c.firmware, dependable_blocks(c));
    const std::uint64_t raw = c.raw_units();
    const double least_over_provisioning =
        std::ceil((1.0 - static_cast<double>(most) / static_cast<double>(raw)) * 1e6) / 1e6;
    const bool page_map = !c.firmware.by_block();
    const fw::FlashPlan plan = fw::flash_plan(c.firmware, 1);
    std::string others;
    for (const fw::FlashPlan::Share& share : plan.areas) {
        others += share.superblocks > 0 ? ", " + std::string(share.area->what) : "";
    }
    others += c.firmware.slc_cache.any() ? ", the SLC cache" : "";
    const std::string keeper = page_map ? "garbage collection needs" : "logs and merges need";
    const std::string bad_blocks = c.nand.bad_blocks.factory_fraction > 0.0 ? ", factory-bad blocks" : "";
    if (page_map) {
        rules.require(most > 0, set_aside_keys(),
                      "found " + text(c.firmware.flash.least_blocks()) +
                          " blocks per plane; allowed: more than " +
                          text(fw::reserved_superblocks(c.firmware) + plan.set_aside()) +
                          " good ones (for garbage collection" + others + ")");
    } else {
        require_room_for_data(c, most > 0, rules);
    }
    rules.require(exported > 0, {asked, "nand.geometry.blocks", "nand.geometry.pages"},
                  "the drive would export nothing; allowed: at least one mapping unit");
    std::vector<std::string_view> keys = set_aside_keys();
    keys.insert(keys.begin(), asked);
    rules.require(most == 0 || exported <= most, keys,
                  "found an exported capacity of " + text(c.exported_bytes()) + " bytes; allowed: at most " +
                      text(most * c.firmware.unit_bytes) + " bytes, an over-provisioning of " +
                      std::to_string(least_over_provisioning) + " or more (raw capacity " +
                      text(c.raw_bytes()) + " less the blocks " + keeper + others + bad_blocks + ")");
}

/// FlashLayout::page_below.
std::vector<std::uint32_t> pages_below(const hw::NandConfig& nand) {
    const hw::WordLines word_lines(nand);
    std::vector<std::uint32_t> below(nand.geometry.pages);
    for (std::uint32_t page = 0; page < below.size(); ++page) {
        below[page] = word_lines.below(hal::Page{page}).value_or(hal::Page{page}).value;
    }
    return below;
}

}  // namespace

void require_power_of_two(Rules& rules, std::string_view key, std::uint64_t value) {
    rules.require(std::has_single_bit(value), {key},
                  "found " + std::to_string(value) + "; allowed: a power of two");
}

void derive(Configuration& c) {
    fw::FirmwareConfig& firmware = c.firmware;
    const hw::NandGeometry& nand = c.nand.geometry;
    const InterfaceFacts facts = interface_facts(c);
    c.nand.content = c.dram.content = c.hash.content = firmware.content = c.content;
    c.sata.content = c.nvme.content = c.content;
    firmware.seed = c.seed;
    firmware.zero_partial_trim = facts.zeros_after_trim;
    firmware.write_cache_enabled = facts.write_cache;
    firmware.command_slots = facts.commands;
    const bool pads = firmware.pads_word_lines();
    firmware.flash = {nand.channels,
                      nand.dies,
                      nand.dies_per_way,
                      nand.planes,
                      nand.blocks,
                      nand.pages,
                      nand.page_bytes,
                      c.nand.rules.sequential_pages,
                      c.nand.rules.multi_plane_same_block,
                      hw::word_lines(c.nand),
                      pads ? hw::pages_per_word_line(c.nand) : hw::pages_per_program(c.nand),
                      pads && c.nand.programming == hw::NandProgramming::page,
                      blocks_of_dies(nand),
                      firmware.backs_up_word_lines() ? pages_below(c.nand) : std::vector<std::uint32_t>{}};
    if (fw::can_group(firmware.flash, firmware.reliability.parity_dies)) {
        firmware.flash = fw::grouped(firmware.flash, firmware.reliability.parity_dies);
    }
    c.nand.metadata_bytes =
        static_cast<std::uint32_t>(fw::spare_bytes(nand.page_bytes / firmware.unit_bytes)) +
        record_bytes(firmware);
    const auto raw = static_cast<double>(c.raw_units());
    std::uint64_t exported = c.capacity_bytes / firmware.unit_bytes;
    if (c.capacity_bytes == 0) {
        constexpr double kRounding = 1e-6;  // 1 - 0.07 is a little below 0.93
        exported = static_cast<std::uint64_t>(std::floor(raw * (1.0 - c.over_provisioning) + kRounding));
    } else if (raw > 0.0) {
        c.over_provisioning = 1.0 - static_cast<double>(exported) / raw;
    }
    firmware.exported_sectors = exported * (firmware.unit_bytes / hal::kSectorBytes);
    c.sata.exported_sectors = c.nvme.exported_sectors = firmware.exported_sectors;
}

void check(const Configuration& configuration, const Origins& origins,
           std::vector<ConfigurationIssue>& issues) {
    Rules rules(origins, issues);
    const bool units_fit =
        check_derived(configuration, origins, rules) && check_geometry(configuration, rules);
    check_bus(configuration, rules);
    check_array_times(configuration, rules);
    check_dram(configuration, rules);
    check_firmware(configuration, rules);
    check_host(configuration, rules);
    check_parity(configuration, rules);
    check_idle(configuration, origins, issues);
    if (units_fit) {
        check_spare_area(configuration, rules);
        check_faults(configuration, rules);
        check_segments(configuration, rules);
        check_dedup(configuration, rules);
        check_slc_cache(configuration, rules);
        if (!check_programming(configuration, rules)) {
            return;
        }
        check_read_cache(configuration, rules);
        check_link_power(configuration, rules);
        const bool blocks_fit = check_block_map(configuration, rules);
        if (check_map_cache(configuration, rules) && blocks_fit) {
            check_dram_size(configuration, rules);
            check_capacity(configuration, rules);
        }
    }
}

}  // namespace solidtlm::platform
