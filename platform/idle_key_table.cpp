// SPDX-License-Identifier: Apache-2.0
//
// When which keys act.
#include <algorithm>
#include <array>

#include "fw/gc/victim_policy.h"
#include "fw/needs.h"
#include "hw/nand/word_lines.h"
#include "platform/idle_keys.h"

namespace solidtlm::platform {
namespace {

using C = Configuration;

bool has_kinds_of_pages(const C& c) {
    return c.nand.timing.read.size() > 1 || c.nand.timing.program.size() > 1 ||
           c.firmware.flash.pages_per_program > 1 || c.firmware.slc_cache.any() ||
           c.nand.power_cut == hw::NandPowerCut::word_line || c.firmware.pads_word_lines() ||
           c.firmware.backs_up_word_lines();
}
bool word_lines_have_pages(const C& c) {
    return hw::pages_per_word_line(c.nand) > 1;
}
/// Also true if the drive has a map area or a recovery log in SLC mode.
bool has_slc_mode(const C& c) {
    const fw::FlashLayout& flash = c.firmware.flash;
    return c.firmware.slc_cache.any() ||
           (flash.slc_areas() && flash.slc_pages > 0 && fw::flash_plan(c.firmware, 1).set_aside() > 0);
}
bool operations_have_planes(const C& c) {
    return !c.firmware.reliability.parity() &&
           fw::planes_per_parallel_unit(c.firmware.allocation.order, c.firmware.flash.planes) > 1;
}
bool policy_draws(const C& c) {
    return hal::named(fw::gc_policies(), c.firmware.gc.policy).takes_d;
}
bool layer_has_logs(const C& c) {
    return c.firmware.translation.traits.least_logs > 0;
}
bool waits_for_idle_host(const C& c) {
    return (c.firmware.dedup.any() && !c.firmware.dedup.online()) ||
           c.firmware.reliability.patrol > hal::Ps{0} || c.firmware.collects_in_idle_time();
}
bool controller_queues_suffice(const C& c) {
    return c.host.nvme.queue_entries <= c.nvme.queue_entries;
}

constexpr std::array kNand{
    IdleRow{"nand.bus.mode", "nand.bus.interface!=byte_time", "every byte takes nand.bus.byte_time"},
    IdleRow{"nand.bus.byte_time", "nand.bus.interface=byte_time",
            "the time of a byte follows from nand.bus.mode"},
    IdleRow{"nand.cell",
            "nand.timing.read nand.timing.program nand.programming firmware.slc_cache.mode nand.power_cut "
            "firmware.word_lines.protect",
            "all pages take equally long", has_kinds_of_pages},
    IdleRow{"nand.power_cut", "nand.programming=page", "all pages of a word line are programmed at once"},
    IdleRow{"nand.power_cut", "nand.cell", "a word line has one page", word_lines_have_pages},
    IdleRow{"nand.planes.read", "nand.geometry.planes!=1", "a die has one plane"},
    IdleRow{"nand.rules.multi_plane_same_block", "nand.bad_blocks.factory_fraction!=0",
            "planes have the same good blocks"},
    IdleRow{"nand.rules.multi_plane_same_block",
            "nand.geometry.planes firmware.allocation.order firmware.reliability.parity_dies",
            "operations have one plane, or planes of several dies", operations_have_planes},
    IdleRow{"nand.bad_blocks.seed", "nand.bad_blocks.factory_fraction!=0", "no block is bad from the start"},
    IdleRow{"nand.timing.suspend nand.controller.max_suspends",
            "nand.controller.suspend_program=true or nand.controller.suspend_erase=true",
            "nothing is suspended"},
    IdleRow{"nand.ecc.parity_size nand.ecc.encode_mb_per_s nand.ecc.decode_mb_per_s nand.ecc.encode_latency "
            "nand.ecc.decode_latency",
            "nand.ecc.codeword_size!=0", "there is no ECC"},
    IdleRow{"nand.timing.set_features nand.ecc.retry_factor", "nand.ecc.retries!=0", "no page is read again"},
    IdleRow{"nand.ecc.correctable_bits nand.ecc.retry_factor nand.slc.bit_errors faults.age faults.rber.",
            "faults.bit_errors=true", "there are no bit errors"},
    IdleRow{"nand.slc.",
            "firmware.slc_cache.mode nand.programming firmware.word_lines.protect "
            "firmware.map_cache.policy firmware.trim.persist firmware.recovery.checkpoint_interval "
            "firmware.dedup.system",
            "no block is in SLC mode", has_slc_mode},
    IdleRow{"faults.seed",
            "faults.bit_errors=true or faults.program_failure!=0 or faults.erase_failure!=0 or "
            "faults.lifetime.cycles!=0 or faults.lifetime.infant_share!=0",
            "nothing fails by chance"},
    IdleRow{"faults.lifetime.shape", "faults.lifetime.cycles!=0", "blocks do not wear out"},
    IdleRow{"faults.lifetime.infant_cycles", "faults.lifetime.infant_share!=0", "no block fails early"},
};

constexpr std::array kInterfaces{
    IdleRow{"host.ahci.", "host.interface=ahci", "there is no adapter"},
    IdleRow{"sata.generation sata.turnaround_dwords sata.turnaround_time sata.queue_depth sata.auto_activate "
            "sata.max_dsm_blocks sata.zeros_after_trim sata.write_cache sata.coalesce_completions "
            "sata.physical_sector_size sata.model sata.serial sata.firmware_revision sata.power. "
            "energy.device.idle_mw energy.device.standby_mw",
            "host.interface!=nvme", "the drive is on PCI Express"},
    IdleRow{"sata.power.partial_exit energy.link.partial_mw", "sata.power.partial_after!=0s",
            "the link never enters Partial"},
    IdleRow{"sata.power.slumber_exit energy.link.slumber_mw", "sata.power.slumber_after!=0s",
            "the link never enters Slumber"},
    IdleRow{"sata.power.devsleep_exit energy.link.devsleep_mw", "sata.power.devsleep_after!=0s",
            "the link never enters DevSleep"},
    IdleRow{"sata.deterministic_after_trim", "host.interface!=nvme", "NVMe always promises zeros"},
    IdleRow{"nvme. pcie. host.nvme.", "host.interface=nvme", "the drive is a SATA drive"},
    IdleRow{"host.nvme.queue_entries", "nvme.queue_entries",
            "a queue has no more entries than the controller allows", controller_queues_suffice},
    IdleRow{"host.hba_read_time host.hba_write_time host.gather_time host.coalesce_time "
            "host.coalesce_completions",
            "host.interface!=nvme", "an NVMe drive is its own adapter"},
};

constexpr std::array kPageMap{
    IdleRow{"firmware.word_lines.protect", "firmware.translation=page_map",
            "only page_map survives a power cut"},
    IdleRow{"firmware.gc.policy firmware.gc.d firmware.gc.foreground_threshold "
            "firmware.gc.background_threshold firmware.gc.pacing firmware.gc.idle_threshold "
            "firmware.cycles.gc_select firmware.cycles.gc_unit",
            "firmware.translation=page_map", "only page_map collects; the others merge"},
    IdleRow{"firmware.gc.d", "firmware.gc.policy", "this policy has no use for it", policy_draws},
    IdleRow{"firmware.gc.copy_back", "firmware.reliability.reclaim_bits=0 or firmware.translation!=page_map",
            "copies inside the die are not corrected"},
    IdleRow{"firmware.gc.copy_back", "firmware.reliability.parity_dies=0", "a stripe lies on several dies"},
    IdleRow{"firmware.allocation.mode", "firmware.translation=page_map",
            "only page_map chooses a unit for each superpage"},
    IdleRow{"firmware.wear.static_threshold", "firmware.translation=page_map",
            "only page_map moves cold data"},
    IdleRow{"firmware.reliability.reclaim_bits", "firmware.translation=page_map",
            "only page_map moves what is hard to read"},
    IdleRow{"firmware.reliability.patrol", "firmware.translation=page_map",
            "only page_map reads in idle time"},
    IdleRow{"firmware.read_cache.read_ahead firmware.read_cache.streams firmware.read_cache.trigger "
            "firmware.cycles.stream_search firmware.cycles.read_cache_search "
            "firmware.cycles.read_cache_insert",
            "firmware.read_cache.size!=0", "nothing is read ahead"},
    IdleRow{"firmware.idle_threshold",
            "firmware.dedup.system firmware.reliability.patrol firmware.gc.idle_threshold "
            "firmware.slc_cache.mode firmware.slc_cache.fold_when_idle",
            "nothing waits for an idle host", waits_for_idle_host},
};

constexpr std::array kSlcCache{
    IdleRow{"firmware.slc_cache.copy_back", "firmware.reliability.reclaim_bits=0",
            "copies inside the die are not corrected"},
    IdleRow{"firmware.slc_cache.size firmware.slc_cache.largest_write firmware.slc_cache.full "
            "firmware.slc_cache.fold_below firmware.slc_cache.fold_when_idle firmware.slc_cache.copy_back",
            "firmware.slc_cache.mode!=none", "there is no SLC cache"},
    IdleRow{"firmware.slc_cache.share", "firmware.slc_cache.mode=dynamic,hybrid",
            "it takes no superblocks that are free"},
    IdleRow{"firmware.slc_cache.static_size", "firmware.slc_cache.mode=hybrid", "all of it is of one kind"},
};

constexpr std::array kBlockMap{
    IdleRow{"firmware.block_map.log_blocks", "firmware.translation", "it has no log blocks", layer_has_logs},
    IdleRow{"firmware.cycles.log_search firmware.cycles.merge_choose firmware.cycles.merge_page",
            "firmware.translation!=page_map", "page_map merges nothing"},
};

constexpr std::array kMapCache{
    IdleRow{"firmware.map_cache.size firmware.map_cache.translation_page firmware.cycles.cache_search "
            "firmware.cycles.cache_order firmware.cycles.cache_insert firmware.cycles.cache_evict",
            "firmware.map_cache.policy!=full_table", "the whole map is in DRAM"},
    IdleRow{"firmware.map_cache.tafp_bytes", "firmware.map_cache.policy=tafp", "it is for tafp"},
    IdleRow{"firmware.map_cache.bsb_candidates firmware.map_cache.bsb_decay firmware.map_cache.bsb_balance",
            "firmware.map_cache.policy=bsb", "it is for bsb"},
    IdleRow{"firmware.map_cache.sftl_dirty_share firmware.map_cache.sftl_sparse_limit",
            "firmware.map_cache.policy=sftl", "it is for sftl"},
    IdleRow{"firmware.map_cache.cftl_group firmware.map_cache.cftl_heat_groups",
            "firmware.map_cache.policy=cftl", "it is for cftl"},
};

constexpr std::array kDedup{
    IdleRow{"firmware.dedup.table_size firmware.dedup.shared_size firmware.dedup.sampling "
            "firmware.dedup.protection firmware.cycles.dedup_search firmware.cycles.dedup_insert "
            "firmware.cycles.dedup_share",
            "firmware.dedup.system!=none", "nothing is deduplicated"},
    IdleRow{"firmware.dedup.sampling firmware.dedup.protection", "firmware.dedup.system=online",
            "only online hashes samples and keeps records"},
    IdleRow{"hash.md5_per_4k", "firmware.dedup.system=offline,offline_separated,online",
            "no page has a fingerprint"},
    IdleRow{"hash.crc32_per_4k", "firmware.dedup.system=offline_crc32,offline_separated",
            "no page has a CRC32"},
    IdleRow{"firmware.cycles.dedup_compare", "firmware.dedup.system=offline_crc32",
            "pages are not compared byte by byte"},
};

}  // namespace

std::span<const IdleRow> idle_key_table() {
    static const auto all = [] {
        std::vector<IdleRow> rows;
        for (const std::span<const IdleRow> part :
             {std::span<const IdleRow>(kNand), std::span<const IdleRow>(kInterfaces),
              std::span<const IdleRow>(kPageMap), std::span<const IdleRow>(kSlcCache),
              std::span<const IdleRow>(kBlockMap), std::span<const IdleRow>(kMapCache),
              std::span<const IdleRow>(kDedup)}) {
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }();
    return all;
}

}  // namespace solidtlm::platform
