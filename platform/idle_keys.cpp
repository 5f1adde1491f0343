// SPDX-License-Identifier: Apache-2.0
#include "platform/idle_keys.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fw/gc/victim_policy.h"
#include "fw/needs.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration_keys.h"

namespace solidtlm::platform {
namespace {

using C = Configuration;

bool page_map(const C& c) {
    return !c.firmware.by_block();
}
bool deduplicates(const C& c) {
    return c.firmware.dedup.any();
}
bool has_ecc(const C& c) {
    return c.nand.ecc.codeword_bytes != 0;
}
bool has_retries(const C& c) {
    return c.nand.ecc.retries > 0;
}
/// True if the drive has a map area or a recovery log in SLC mode.
bool has_slc_areas(const C& c) {
    const fw::FlashLayout& flash = c.firmware.flash;
    return flash.slc_areas() && flash.slc_pages > 0 && fw::flash_plan(c.firmware, 1).set_aside() > 0;
}
bool has_bit_errors(const C& c) {
    return c.nand.faults.bit_errors;
}

template <std::size_t kState>
bool link_sleeps(const C& c) {
    return c.sata.power[kState].used();
}
bool sata(const C& c) {
    return !c.has_nvme();
}
bool nvme(const C& c) {
    return c.has_nvme();
}

/// A rule for keys that act only if another key has this value.
IdleRule only_with(std::vector<std::string_view> keys, std::string_view key, std::string_view value,
                   std::string_view why) {
    return {std::move(keys), {key}, [key, value](const C& c) { return find_key(key)->get(c) == value; }, why};
}

/// The values of the deciding keys, as "key=value and key=value".
std::string deciding(const IdleRule& rule, const Configuration& configuration) {
    std::string text;
    for (const std::string_view name : rule.because) {
        text += text.empty() ? "" : " and ";
        text += std::string(name) + "=" + find_key(name)->get(configuration);
    }
    return text;
}

}  // namespace

bool IdleRule::covers(std::string_view key) const {
    return std::ranges::any_of(keys, [key](std::string_view each) {
        return each.ends_with('.') ? key.starts_with(each) : key == each;
    });
}

std::span<const IdleRule> idle_rules() {
    static const std::vector<IdleRule> rules{
        {{"nand.bus.mode"},
         {"nand.bus.interface"},
         [](const C& c) { return c.nand.bus.interface != hw::NandInterface::byte_time; },
         "every byte takes nand.bus.byte_time"},
        {{"nand.bus.byte_time"},
         {"nand.bus.interface"},
         [](const C& c) { return c.nand.bus.interface == hw::NandInterface::byte_time; },
         "the time of a byte follows from nand.bus.mode"},
        {{"nand.cell"},
         {"nand.timing.read", "nand.timing.program", "nand.programming", "firmware.slc_cache.mode",
          "nand.power_cut", "firmware.word_lines.protect"},
         [](const C& c) {
             return c.nand.timing.read.size() > 1 || c.nand.timing.program.size() > 1 ||
                    c.firmware.flash.pages_per_program > 1 || c.firmware.slc_cache.any() ||
                    c.nand.power_cut == hw::NandPowerCut::word_line || c.firmware.pads_word_lines() ||
                    c.firmware.backs_up_word_lines();
         },
         "all pages take equally long"},
        {{"nand.power_cut"},
         {"nand.programming"},
         [](const C& c) { return c.nand.programming == hw::NandProgramming::page; },
         "all pages of a word line are programmed at once"},
        {{"nand.power_cut"},
         {"nand.cell"},
         [](const C& c) { return hw::pages_per_word_line(c.nand) > 1; },
         "a word line has one page"},
        {{"firmware.word_lines.protect"},
         {"firmware.translation"},
         page_map,
         "only page_map survives a power cut"},
        {{"nand.planes.read"},
         {"nand.geometry.planes"},
         [](const C& c) { return c.nand.geometry.planes > 1; },
         "a die has one plane"},
        {{"nand.timing.suspend", "nand.controller.max_suspends"},
         {"nand.controller.suspend_program", "nand.controller.suspend_erase"},
         [](const C& c) { return c.nand.controller.suspend_program || c.nand.controller.suspend_erase; },
         "nothing is suspended"},
        {{"nand.ecc.parity_size", "nand.ecc.encode_mb_per_s", "nand.ecc.decode_mb_per_s",
          "nand.ecc.encode_latency", "nand.ecc.decode_latency"},
         {"nand.ecc.codeword_size"},
         has_ecc,
         "there is no ECC"},
        {{"nand.timing.set_features", "nand.ecc.retry_factor"},
         {"nand.ecc.retries"},
         has_retries,
         "no page is read again"},
        {{"nand.ecc.correctable_bits", "nand.ecc.retry_factor", "faults.age", "faults.rber."},
         {"faults.bit_errors"},
         has_bit_errors,
         "there are no bit errors"},
        {{"faults.lifetime.shape"},
         {"faults.lifetime.cycles"},
         [](const C& c) { return c.nand.faults.lifetime.cycles > 0; },
         "blocks do not wear out"},
        {{"faults.lifetime.infant_cycles"},
         {"faults.lifetime.infant_share"},
         [](const C& c) { return c.nand.faults.lifetime.infant_share > 0.0; },
         "no block fails early"},
        {{"host.ahci."},
         {"host.interface"},
         [](const C& c) { return c.host.interface == HostInterface::ahci; },
         "there is no adapter"},
        {{"sata.generation", "sata.turnaround_dwords", "sata.turnaround_time", "sata.queue_depth",
          "sata.auto_activate", "sata.max_dsm_blocks", "sata.zeros_after_trim", "sata.write_cache",
          "sata.coalesce_completions", "sata.physical_sector_size", "sata.model", "sata.serial",
          "sata.firmware_revision", "sata.power."},
         {"host.interface"},
         sata,
         "the drive is on PCI Express"},
        {{"sata.power.partial_exit", "energy.link.partial_mw"},
         {"sata.power.partial_after"},
         link_sleeps<0>,
         "the link never enters Partial"},
        {{"sata.power.slumber_exit", "energy.link.slumber_mw"},
         {"sata.power.slumber_after"},
         link_sleeps<1>,
         "the link never enters Slumber"},
        {{"sata.power.devsleep_exit", "energy.link.devsleep_mw"},
         {"sata.power.devsleep_after"},
         link_sleeps<2>,
         "the link never enters DevSleep"},
        {{"sata.deterministic_after_trim"}, {"host.interface"}, sata, "NVMe always promises zeros"},
        {{"nvme.", "pcie.", "host.nvme."}, {"host.interface"}, nvme, "the drive is a SATA drive"},
        {{"host.hba_read_time", "host.hba_write_time", "host.gather_time", "host.coalesce_time",
          "host.coalesce_completions"},
         {"host.interface"},
         sata,
         "an NVMe drive is its own adapter"},
        {{"firmware.gc.policy", "firmware.gc.d", "firmware.gc.foreground_threshold",
          "firmware.gc.background_threshold", "firmware.gc.pacing", "firmware.gc.idle_threshold"},
         {"firmware.translation"},
         page_map,
         "only page_map collects; the others merge"},
        {{"firmware.gc.d"},
         {"firmware.gc.policy"},
         [](const C& c) { return hal::named(fw::gc_policies(), c.firmware.gc.policy).takes_d; },
         "this policy has no use for it"},
        {{"firmware.gc.copy_back"},
         {"firmware.reliability.reclaim_bits"},
         [](const C& c) { return !page_map(c) || c.firmware.reliability.reclaim_bits == 0; },
         "copies inside the die are not corrected"},
        {{"firmware.slc_cache.copy_back"},
         {"firmware.reliability.reclaim_bits"},
         [](const C& c) { return c.firmware.reliability.reclaim_bits == 0; },
         "copies inside the die are not corrected"},
        {{"firmware.gc.copy_back"},
         {"firmware.reliability.parity_dies"},
         [](const C& c) { return !c.firmware.reliability.parity(); },
         "a stripe lies on several dies"},
        {{"nand.slc."},
         {"firmware.slc_cache.mode", "nand.programming", "firmware.word_lines.protect",
          "firmware.map_cache.policy", "firmware.trim.persist", "firmware.recovery.checkpoint_interval",
          "firmware.dedup.system"},
         [](const C& c) { return c.firmware.slc_cache.any() || has_slc_areas(c); },
         "no block is in SLC mode"},
        {{"firmware.slc_cache.size", "firmware.slc_cache.largest_write", "firmware.slc_cache.full",
          "firmware.slc_cache.fold_below", "firmware.slc_cache.fold_when_idle",
          "firmware.slc_cache.copy_back"},
         {"firmware.slc_cache.mode"},
         [](const C& c) { return c.firmware.slc_cache.any(); },
         "there is no SLC cache"},
        {{"firmware.slc_cache.share"},
         {"firmware.slc_cache.mode"},
         [](const C& c) { return c.firmware.slc_cache.has_dynamic(); },
         "it takes no superblocks that are free"},
        {{"firmware.slc_cache.static_size"},
         {"firmware.slc_cache.mode"},
         [](const C& c) { return c.firmware.slc_cache.mode == fw::SlcCacheMode::hybrid; },
         "all of it is of one kind"},
        {{"nand.slc.bit_errors"}, {"faults.bit_errors"}, has_bit_errors, "there are no bit errors"},
        {{"firmware.read_cache.read_ahead", "firmware.read_cache.streams", "firmware.read_cache.trigger"},
         {"firmware.read_cache.size"},
         [](const C& c) { return c.firmware.read_cache.any(); },
         "nothing is read ahead"},
        {{"firmware.allocation.mode"},
         {"firmware.translation"},
         page_map,
         "only page_map chooses a unit for each superpage"},
        {{"firmware.wear.static_threshold"},
         {"firmware.translation"},
         page_map,
         "only page_map moves cold data"},
        {{"firmware.reliability.reclaim_bits"},
         {"firmware.translation"},
         page_map,
         "only page_map moves what is hard to read"},
        {{"firmware.reliability.patrol"},
         {"firmware.translation"},
         page_map,
         "only page_map reads in idle time"},
        {{"firmware.block_map.log_blocks"},
         {"firmware.translation"},
         [](const C& c) { return c.firmware.translation.traits.least_logs > 0; },
         "it has no log blocks"},
        only_with({"firmware.block_map.associativity", "firmware.block_map.sequential_logs"},
                  "firmware.translation", "kast", "only kast has such log blocks"),
        only_with({"firmware.block_map.superblock_blocks", "firmware.block_map.superblock_logs"},
                  "firmware.translation", "superblock", "only superblock has them"),
        {{"firmware.map_cache.size", "firmware.map_cache.translation_page"},
         {"firmware.map_cache.policy"},
         [](const C& c) { return !c.firmware.map_cache.whole_map(); },
         "the whole map is in DRAM"},
        only_with({"firmware.map_cache.tafp_bytes"}, "firmware.map_cache.policy", "tafp", "it is for tafp"),
        only_with({"firmware.map_cache.bsb_candidates", "firmware.map_cache.bsb_decay",
                   "firmware.map_cache.bsb_balance"},
                  "firmware.map_cache.policy", "bsb", "it is for bsb"),
        only_with({"firmware.map_cache.sftl_dirty_share", "firmware.map_cache.sftl_sparse_limit"},
                  "firmware.map_cache.policy", "sftl", "it is for sftl"),
        only_with({"firmware.map_cache.cftl_group", "firmware.map_cache.cftl_heat_groups"},
                  "firmware.map_cache.policy", "cftl", "it is for cftl"),
        {{"firmware.dedup.table_size", "firmware.dedup.shared_size", "firmware.dedup.sampling",
          "firmware.dedup.protection"},
         {"firmware.dedup.system"},
         deduplicates,
         "nothing is deduplicated"},
        {{"firmware.dedup.sampling", "firmware.dedup.protection"},
         {"firmware.dedup.system"},
         [](const C& c) { return c.firmware.dedup.online(); },
         "only online hashes samples and keeps records"},
        {{"firmware.dedup.idle_threshold"},
         {"firmware.dedup.system", "firmware.reliability.patrol", "firmware.gc.idle_threshold",
          "firmware.slc_cache.mode", "firmware.slc_cache.fold_when_idle"},
         [](const C& c) {
             return (deduplicates(c) && !c.firmware.dedup.online()) ||
                    c.firmware.reliability.patrol > hal::Ps{0} || c.firmware.collects_in_idle_time();
         },
         "nothing waits for an idle host"},
    };
    return rules;
}

void check_idle(const Configuration& c, const Origins& origins, std::vector<ConfigurationIssue>& issues) {
    for (const std::string& key : origins.changed) {
        const auto judges = [&](const IdleRule& rule) {
            const bool known = std::ranges::none_of(
                rule.because, [&](std::string_view each) { return origins.failed.contains(each); });
            return rule.covers(key) && known && !rule.acts(c);
        };
        const auto rule = std::ranges::find_if(idle_rules(), judges);
        if (rule != idle_rules().end()) {
            const Origin& origin = origins.set.find(key)->second;
            issues.push_back({origin.source, origin.line, key,
                              "does nothing with " + deciding(*rule, c) + " (" + std::string(rule->why) +
                                  "); leave it out"});
        }
    }
}

}  // namespace solidtlm::platform
