// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>

#include "fw/block_map/block_layer.h"
#include "fw/dedup/deduplicator.h"
#include "fw/gc/victim_policy.h"
#include "fw/map_cache/cache_policy.h"
#include "hw/dram/arbiter.h"
#include "hw/nand/arbitration/bus_arbiter.h"
#include "platform/configuration_keys.h"

namespace solidtlm::platform {
namespace {

using namespace std::chrono_literals;
using namespace kinds;
using hal::Ps;

constexpr std::uint64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();  // of TOML
constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = 1024 * kKib;
constexpr std::uint64_t kTib = kMib * 1024 * 1024;
constexpr std::size_t kMostPageTypes = 4;  ///< quad-level cells

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
    return one_of(std::move(names), std::move(docs));
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

using Keys = std::vector<ConfigurationKey>;

Keys general_keys() {
    return {
        {"seed", SOLIDTLM_FIELD(seed), integer(0, kMaxInteger),
         "Seed of everything random in the firmware and the workload; same seed, same result."},
        {"content", SOLIDTLM_FIELD(content), enumerator({"none", "tags", "bytes"}),
         "What sectors contain in every block: none (fast), tags (a 64-bit identity per sector, every read "
         "can be verified), bytes (real contents)."},
        {"run_ahead", SOLIDTLM_FIELD(run_ahead), duration(Ps{0}, 1s),
         "How far the drive may run ahead of the SystemC kernel while no other module has anything to do "
         "(temporal decoupling); 0s: in step. Changes no result, only the time it takes."},
        {"closed_forms", SOLIDTLM_FIELD(closed_forms), boolean(),
         "Compute an undisturbed data phase as a whole instead of frame by frame. Changes no result, only "
         "the time it takes; not used for what is recorded."},
        {"ssd.over_provisioning", SOLIDTLM_FIELD(over_provisioning), number(0.0, 0.999999),
         "Spare capacity as a fraction of the raw capacity, (T - U) / T. Not together with ssd.capacity."},
        {"ssd.capacity", SOLIDTLM_FIELD(capacity_bytes), size(512, kMaxInteger),
         "Capacity the host sees; over-provisioning follows. Not together with ssd.over_provisioning.", "-"},
    };
}

Keys geometry_keys() {
    return {
        {"nand.geometry.channels", SOLIDTLM_FIELD(nand.geometry.channels), integer(1, 64),
         "Channels, each with its own bus and flash controller."},
        {"nand.geometry.dies", SOLIDTLM_FIELD(nand.geometry.dies), integer(1, 64), "Dies per channel."},
        {"nand.geometry.dies_per_way", SOLIDTLM_FIELD(nand.geometry.dies_per_way), integer(1, 64),
         "Dies that share a package and its chip enable; divides dies."},
        {"nand.geometry.planes", SOLIDTLM_FIELD(nand.geometry.planes), integer(1, 8), "Planes per die."},
        {"nand.geometry.blocks", SOLIDTLM_FIELD(nand.geometry.blocks), integer(1, 65'536),
         "Blocks per plane."},
        {"nand.geometry.pages", SOLIDTLM_FIELD(nand.geometry.pages), integer(1, 16'384), "Pages per block."},
        {"nand.geometry.page_size", SOLIDTLM_FIELD(nand.geometry.page_bytes), size(512, 64 * kKib),
         "Data area of a page, a multiple of 512 bytes and of firmware.unit."},
        {"nand.geometry.spare_size", SOLIDTLM_FIELD(nand.geometry.spare_bytes), size(0, 64 * kKib),
         "Spare area of a page; must hold the ECC parity and the firmware's metadata."},
    };
}

Keys nand_time_keys() {
    return {
        {"nand.cell", SOLIDTLM_FIELD(nand.cell), enumerator({"by_times", "slc", "mlc", "tlc", "qlc"}),
         "Bits of a cell, and so which page of a word line each page of a block is. mlc: lower pages are 0, "
         "1, "
         "3, 5, 7, ..., upper pages 2, 4, 6, ... and the last one. tlc, qlc: the pages of a word line follow "
         "each other. by_times: so do they, as many as nand.timing.read or nand.timing.program has times."},
        {"nand.programming", SOLIDTLM_FIELD(nand.programming), enumerator({"page", "one_shot"}),
         "What one program of the array programs. page: a page of each plane. one_shot: all pages of a word "
         "line, which cross the bus one after the other before; nand.timing.program is the time of a word "
         "line, and the pages of a word line follow each other, with mlc, too."},
        {"nand.power_cut", SOLIDTLM_FIELD(nand.power_cut), enumerator({"page", "word_line"}),
         "What a power cut during a program makes unreadable. page: the page. word_line: also the pages of "
         "its word line that were programmed before, as on MLC, TLC and QLC parts (paired pages)."},
        {"nand.planes.read", SOLIDTLM_FIELD(nand.plane_reads), enumerator({"together", "independent"}),
         "What the planes of a die sense at a time. together: the pages of one operation, which have the "
         "same number. independent: each plane a page of its own, with a command of its own; the data of "
         "these reads leave one after the other. Programs, erases and reads of several planes need the "
         "whole die."},
        {"nand.bus.interface", SOLIDTLM_FIELD(nand.bus.interface),
         enumerator({"sdr", "nv_ddr", "nv_ddr2", "nv_ddr3", "byte_time"}),
         "Data interface of the channel bus (ONFI 4.x); byte_time: a fixed time per byte, for old studies."},
        {"nand.bus.mode", SOLIDTLM_FIELD(nand.bus.mode), integer(0, 12),
         "ONFI timing mode: sdr 0-5, nv_ddr 0-5, nv_ddr2 0-9, nv_ddr3 0-12. Not for byte_time."},
        {"nand.bus.byte_time", SOLIDTLM_FIELD(nand.bus.byte_time), duration(Ps{1}, 1us),
         "Time of one byte on the bus, command and address cycles included; byte_time interface only."},
        {"nand.timing.read", SOLIDTLM_FIELD(nand.timing.read), durations(Ps{1}, 100ms, kMostPageTypes),
         "tR: one for all pages, or one for each page of a word line: lower, middle, upper, top "
         "(nand.cell)."},
        {"nand.timing.program", SOLIDTLM_FIELD(nand.timing.program), durations(Ps{1}, 1s, kMostPageTypes),
         "tPROG, the same way; as many entries as read, or one."},
        {"nand.timing.erase", SOLIDTLM_FIELD(nand.timing.erase), duration(Ps{1}, 10s), "tBERS."},
        {"nand.timing.program_wear", SOLIDTLM_FIELD(nand.timing.program_wear), number(-1.0, 100.0),
         "Change of tPROG per 1,000 cycles of the block (faults.cycles included), as a share: -0.05 is 5 % "
         "less. Of several planes the slowest counts."},
        {"nand.timing.erase_wear", SOLIDTLM_FIELD(nand.timing.erase_wear), number(-1.0, 100.0),
         "Change of tBERS, the same way."},
        {"nand.timing.plane_busy", SOLIDTLM_FIELD(nand.timing.plane_busy), duration(Ps{0}, 10ms),
         "tDBSY: between the planes of a multi-plane sequence."},
        {"nand.timing.suspend", SOLIDTLM_FIELD(nand.timing.suspend), duration(Ps{0}, 10ms),
         "Time to suspend a program or an erase, and again to resume it."},
        {"nand.timing.set_features", SOLIDTLM_FIELD(nand.timing.set_features), duration(Ps{0}, 10ms),
         "tFEAT: SET FEATURES, before and after read retries."},
        {"nand.slc.read", SOLIDTLM_FIELD(nand.slc.read), duration(Ps{0}, 100ms),
         "tR of a block in SLC mode, with one bit in a cell that could hold more; 0s: not known."},
        {"nand.slc.program", SOLIDTLM_FIELD(nand.slc.program), duration(Ps{0}, 1s),
         "tPROG in SLC mode; 0s: not known."},
        {"nand.slc.wear", SOLIDTLM_FIELD(nand.slc.wear), number(0.0, 1.0),
         "What a program and erase cycle in SLC mode wears a block, as a share of one in normal mode."},
        {"nand.slc.bit_errors", SOLIDTLM_FIELD(nand.slc.bit_errors), number(0.0, 1.0),
         "Raw bit error rate in SLC mode, as a share of that in normal mode (faults.rber)."},
    };
}

Keys nand_rule_keys() {
    return {
        {"nand.rules.sequential_pages", SOLIDTLM_FIELD(nand.rules.sequential_pages), boolean(),
         "The pages of a block must be programmed in ascending order."},
        {"nand.rules.multi_plane_same_block", SOLIDTLM_FIELD(nand.rules.multi_plane_same_block), boolean(),
         "Multi-plane operations also need equal block numbers."},
        {"nand.rules.endurance_cycles", SOLIDTLM_FIELD(nand.rules.endurance_cycles),
         integer(0, 4'294'967'295, "erases"),
         "Erases of a block after which programs and erases fail; 0: unlimited."},
        {"nand.bad_blocks.factory_fraction", SOLIDTLM_FIELD(nand.bad_blocks.factory_fraction),
         number(0.0, 0.2), "Probability that a block is bad when the drive leaves the factory."},
        {"nand.bad_blocks.seed", SOLIDTLM_FIELD(nand.bad_blocks.seed), integer(0, kMaxInteger),
         "Chooses the individual drive: which of its blocks are bad. Independent of seed."},
        {"nand.controller.arbitration", SOLIDTLM_FIELD(nand.controller.arbitration),
         registered(hw::bus_arbitrations()), "Who gets the channel bus next."},
        {"nand.controller.reads_overtake", SOLIDTLM_FIELD(nand.controller.reads_overtake), boolean(),
         "In a die's queue, reads go before programs and erases."},
        {"nand.controller.suspend_program", SOLIDTLM_FIELD(nand.controller.suspend_program), boolean(),
         "A waiting host read suspends a running program."},
        {"nand.controller.suspend_erase", SOLIDTLM_FIELD(nand.controller.suspend_erase), boolean(),
         "A waiting host read suspends a running erase."},
        {"nand.controller.max_suspends", SOLIDTLM_FIELD(nand.controller.max_suspends), integer(1, 1'000),
         "Suspensions of one program or erase, so that it ends."},
    };
}

Keys ecc_keys() {
    return {
        {"nand.ecc.codeword_size", SOLIDTLM_FIELD(nand.ecc.codeword_bytes), size(0, 64 * kKib),
         "Data of a codeword, a multiple of 512 that divides the page; 0 switches ECC off."},
        {"nand.ecc.parity_size", SOLIDTLM_FIELD(nand.ecc.parity_bytes), size(0, 64 * kKib),
         "Parity of a codeword; crosses the bus with it."},
        {"nand.ecc.encode_mb_per_s", SOLIDTLM_FIELD(nand.ecc.encode_mb_per_s), number(1.0, 1e6, "MB/s"),
         "Encoder throughput of each channel's engine."},
        {"nand.ecc.decode_mb_per_s", SOLIDTLM_FIELD(nand.ecc.decode_mb_per_s), number(1.0, 1e6, "MB/s"),
         "Decoder throughput of each channel's engine."},
        {"nand.ecc.encode_latency", SOLIDTLM_FIELD(nand.ecc.encode_latency), duration(Ps{0}, 10ms),
         "Pipeline latency of one codeword."},
        {"nand.ecc.decode_latency", SOLIDTLM_FIELD(nand.ecc.decode_latency), duration(Ps{0}, 10ms),
         "Pipeline latency of one codeword."},
        {"nand.ecc.correctable_bits", SOLIDTLM_FIELD(nand.ecc.correctable_bits), integer(0, 65'535, "bits"),
         "Bits that ECC corrects in a codeword; counts where faults.bit_errors is on."},
        {"nand.ecc.retries", SOLIDTLM_FIELD(nand.ecc.retries), integer(0, 64, "steps"),
         "Steps of the read-retry table: how often the controller reads a page again that ECC could not "
         "correct; 0: not at all (reliability.md)."},
        {"nand.ecc.retry_factor", SOLIDTLM_FIELD(nand.ecc.retry_factor), number(0.0, 1.0),
         "Each step of the read-retry table multiplies the raw bit error rate by this."},
    };
}

Keys dram_keys() {
    return {
        {"dram.size", SOLIDTLM_FIELD(dram.size_bytes), size(4 * kKib, kTib),
         "Buffer memory: map table, write buffer, read windows, garbage collection."},
        {"dram.data_rate_mt_per_s", SOLIDTLM_FIELD(dram.data_rate_mt_per_s), number(1.0, 20'000.0, "MT/s"),
         "Transfers per second on the data bus."},
        {"dram.bus_bytes", SOLIDTLM_FIELD(dram.bus_bytes), integer(1, 16, "bytes"),
         "Width of the data bus, a power of two."},
        {"dram.burst_length", SOLIDTLM_FIELD(dram.burst_length), integer(1, 32, "transfers"),
         "Transfers of a burst, a power of two."},
        {"dram.banks", SOLIDTLM_FIELD(dram.banks), integer(1, 64), "Banks, a power of two."},
        {"dram.row_size", SOLIDTLM_FIELD(dram.row_bytes), size(512, 64 * kKib),
         "Row of a bank, a power of two."},
        {"dram.t_cas", SOLIDTLM_FIELD(dram.t_cas), duration(Ps{0}, 1us), "CL."},
        {"dram.t_rcd", SOLIDTLM_FIELD(dram.t_rcd), duration(Ps{0}, 1us), "Activate to read or write."},
        {"dram.t_rp", SOLIDTLM_FIELD(dram.t_rp), duration(Ps{0}, 1us), "Precharge to activate."},
        {"dram.quantum", SOLIDTLM_FIELD(dram.quantum_bytes), size(16, 64 * kKib),
         "A long transfer gives way to the firmware's core after this much; a multiple of a burst."},
        {"dram.arbitration", SOLIDTLM_FIELD(dram.arbitration), registered(hw::dram_arbitrations()),
         "Who is served next."},
    };
}

Keys controller_keys() {
    return {
        {"hash.crc32_per_4k", SOLIDTLM_FIELD(hash.crc32_per_4k), duration(Ps{0}, 1s),
         "CRC32 of 4 KiB in the hash unit; other sizes in proportion."},
        {"hash.md5_per_4k", SOLIDTLM_FIELD(hash.md5_per_4k), duration(Ps{0}, 1s),
         "MD5 of 4 KiB in the hash unit; other sizes in proportion."},
        {"core.frequency_mhz", SOLIDTLM_FIELD(core.frequency_mhz), number(1.0, 10'000.0, "MHz"),
         "Clock of the firmware core."},
    };
}

Keys sata_keys() {
    return {
        {"sata.generation", SOLIDTLM_FIELD(sata.generation),
         enumerator({"gen1", "gen2", "gen3", "ideal"}, static_cast<std::uint64_t>(hw::SataGeneration::gen1)),
         "1.5, 3 or 6 Gb/s; ideal: frames take no time, everything else is as with gen3. To see what lies "
         "behind the link."},
        {"sata.turnaround_dwords", SOLIDTLM_FIELD(sata.turnaround_dwords), integer(0, 10'000, "dwords"),
         "X_RDY/R_RDY, WTRM/R_OK, SYNC and PHY latency of each FIS."},
        {"sata.turnaround_time", SOLIDTLM_FIELD(sata.turnaround_time), duration(Ps{0}, 1s),
         "What of it does not change with the speed of the link; added to the dwords."},
        {"sata.queue_depth", SOLIDTLM_FIELD(sata.queue_depth), integer(1, 32),
         "NCQ tags (IDENTIFY word 75)."},
        {"sata.auto_activate", SOLIDTLM_FIELD(sata.auto_activate), boolean(),
         "DMA Setup auto-activate for writes (IDENTIFY word 78 bit 2)."},
        {"sata.max_dsm_blocks", SOLIDTLM_FIELD(sata.max_dsm_blocks), integer(1, 65'535),
         "512-byte blocks a DATA SET MANAGEMENT command may carry (IDENTIFY word 105)."},
        {"sata.deterministic_after_trim", SOLIDTLM_FIELD(sata.deterministic_after_trim), boolean(),
         "DRAT: a trimmed sector always reads the same (IDENTIFY word 69 bit 14)."},
        {"sata.zeros_after_trim", SOLIDTLM_FIELD(sata.zeros_after_trim), boolean(),
         "RZAT: a trimmed sector reads zeros (IDENTIFY word 69 bit 5); needs deterministic_after_trim."},
        {"sata.write_cache", SOLIDTLM_FIELD(sata.write_cache), boolean(),
         "Power-on state of the volatile write cache."},
        {"sata.coalesce_completions", SOLIDTLM_FIELD(sata.coalesce_completions), integer(1, 32),
         "Completions one Set Device Bits FIS may carry when they pile up."},
        {"sata.physical_sector_size", SOLIDTLM_FIELD(sata.physical_sector_bytes), size(512, 16 * kMib),
         "Physical sector as reported (IDENTIFY word 106): 512 bytes times a power of two."},
        {"sata.model", SOLIDTLM_FIELD(sata.model), printable(1, 40), "IDENTIFY words 27-46."},
        {"sata.serial", SOLIDTLM_FIELD(sata.serial), printable(1, 20), "IDENTIFY words 10-19."},
        {"sata.firmware_revision", SOLIDTLM_FIELD(sata.firmware_revision), printable(1, 8),
         "IDENTIFY words 23-26."},
    };
}

Keys host_keys() {
    return {
        {"host.submit_time", SOLIDTLM_FIELD(host.submit), duration(Ps{0}, 1s),
         "Time of the host's processor to submit a command; commands queue for it."},
        {"host.complete_time", SOLIDTLM_FIELD(host.complete), duration(Ps{0}, 1s),
         "Time of the host's processor to handle the completion of a command; commands queue for it."},
        {"host.hba_read_time", SOLIDTLM_FIELD(host.hba_read), duration(Ps{0}, 1s),
         "Time of a host bus adapter with firmware of its own for the end of a read; it serves one command "
         "after another."},
        {"host.hba_write_time", SOLIDTLM_FIELD(host.hba_write), duration(Ps{0}, 1s),
         "And for the end of any other command."},
        {"host.interrupt_latency", SOLIDTLM_FIELD(host.interrupt_latency), duration(Ps{0}, 1s),
         "From then until the host's processor is interrupted (interrupt, wake-up); occupies nothing."},
        {"host.gather_time", SOLIDTLM_FIELD(host.gather_time), duration(Ps{0}, 1s),
         "Time of the host's adapter from a DMA Setup or DMA Activate FIS until it has the data of a "
         "Data FIS from memory; the link is free meanwhile."},
        {"host.coalesce_time", SOLIDTLM_FIELD(host.coalesce_time), duration(Ps{0}, 1s),
         "Interrupt coalescing: the host is interrupted after so long with commands outstanding, counted "
         "from the last interrupt (AHCI CCC_CTL.TV, there in ms); 0s: at each completion."},
        {"host.coalesce_completions", SOLIDTLM_FIELD(host.coalesce_completions),
         integer(0, 255, "completions"),
         "And after so many completions (CCC_CTL.CC); 0: by time alone. Needs host.coalesce_time."},
        {"host.interface", SOLIDTLM_FIELD(host.interface),
         enumerator({"link", "ahci", "nvme"}, static_cast<std::uint64_t>(HostInterface::link)),
         "link: SATA; the host speaks FISes itself, at no cost. ahci: SATA; a driver, an AHCI adapter with "
         "registers, DMA and interrupts (ahci.md); needs content = \"bytes\". nvme: the drive is an NVMe "
         "drive "
         "on PCI Express (nvme.md)."},
        {"host.ahci.register_access", SOLIDTLM_FIELD(host.ahci.register_access), duration(Ps{0}, 1s),
         "Of the driver's processor, for each access to a register."},
        {"host.ahci.dma_access", SOLIDTLM_FIELD(host.ahci.dma_access), duration(Ps{0}, 1s),
         "Of the adapter, for each access to memory, before its first byte."},
        {"host.ahci.dma_dword", SOLIDTLM_FIELD(host.ahci.dma_dword), duration(Ps{0}, 1s),
         "Of the adapter, for each dword that an access touches."},
        {"host.ahci.dma_burst_size", SOLIDTLM_FIELD(host.ahci.dma_burst_bytes), size(0, 4 * kMib),
         "The longest access to memory, a power of two that none crosses; 0: no limit."},
        {"host.ahci.prd_size", SOLIDTLM_FIELD(host.prd_bytes), size(512, 4 * kMib),
         "Memory of a command that lies together, a multiple of 512 bytes: one entry of its PRD table. A "
         "command has at most 168."},
    };
}

Keys energy_keys() {
    const auto current = number(0.0, 100'000.0, "mA");
    const auto voltage = number(0.0, 100.0, "V");
    const auto power = number(0.0, 1e6, "mW");
    return {
        {"energy.nand.vcc_v", SOLIDTLM_FIELD(energy.nand.vcc_v), voltage, "Supply of the dies (energy.md)."},
        {"energy.nand.read_ma", SOLIDTLM_FIELD(energy.nand.read_ma), current,
         "ICC1: of a plane while it reads a page."},
        {"energy.nand.program_ma", SOLIDTLM_FIELD(energy.nand.program_ma), current,
         "ICC2: of a plane while it programs a page."},
        {"energy.nand.erase_ma", SOLIDTLM_FIELD(energy.nand.erase_ma), current,
         "ICC3: of a plane while it erases a block."},
        {"energy.nand.burst_read_ma", SOLIDTLM_FIELD(energy.nand.burst_read_ma), current,
         "ICC4R: of a die during data-out cycles."},
        {"energy.nand.burst_write_ma", SOLIDTLM_FIELD(energy.nand.burst_write_ma), current,
         "ICC4W: of a die during data-in cycles."},
        {"energy.nand.standby_ma", SOLIDTLM_FIELD(energy.nand.standby_ma), current,
         "ISB: of each die, always."},
        {"energy.dram.vdd_v", SOLIDTLM_FIELD(energy.dram.vdd_v), voltage, "Supply of the DRAM."},
        {"energy.dram.idd0_ma", SOLIDTLM_FIELD(energy.dram.idd0_ma), current,
         "IDD0: one bank activates and precharges every t_rc."},
        {"energy.dram.idd2n_ma", SOLIDTLM_FIELD(energy.dram.idd2n_ma), current, "IDD2N: precharge standby."},
        {"energy.dram.idd3n_ma", SOLIDTLM_FIELD(energy.dram.idd3n_ma), current,
         "IDD3N: active standby, which the DRAM always takes."},
        {"energy.dram.idd4r_ma", SOLIDTLM_FIELD(energy.dram.idd4r_ma), current, "IDD4R: burst read."},
        {"energy.dram.idd4w_ma", SOLIDTLM_FIELD(energy.dram.idd4w_ma), current, "IDD4W: burst write."},
        {"energy.dram.idd5_ma", SOLIDTLM_FIELD(energy.dram.idd5_ma), current, "IDD5: burst refresh."},
        {"energy.dram.t_rc", SOLIDTLM_FIELD(energy.dram.t_rc), duration(Ps{0}, 1ms),
         "Activate to activate of one bank; IDD0 is the mean over this time."},
        {"energy.dram.t_ras", SOLIDTLM_FIELD(energy.dram.t_ras), duration(Ps{0}, 1ms),
         "Activate to precharge; at most t_rc counts."},
        {"energy.dram.t_rfc", SOLIDTLM_FIELD(energy.dram.t_rfc), duration(Ps{0}, 1ms), "Time of a refresh."},
        {"energy.dram.t_refi", SOLIDTLM_FIELD(energy.dram.t_refi), duration(Ps{1}, 1s),
         "Time from refresh to refresh."},
        {"energy.dram.device_size", SOLIDTLM_FIELD(energy.dram.device_bytes), size(1, kTib),
         "Capacity of a device: dram.size needs so many of them, each with standby and refresh."},
        {"energy.dram.device_bus_bytes", SOLIDTLM_FIELD(energy.dram.device_bus_bytes),
         integer(1, 16, "bytes"), "Data bus of a device: dram.bus_bytes needs so many of them at a time."},
        {"energy.link.active_mw", SOLIDTLM_FIELD(energy.link.active_mw), power,
         "Link of the device while a frame is on the wire. No source: 0."},
        {"energy.link.idle_mw", SOLIDTLM_FIELD(energy.link.idle_mw), power,
         "The same while none is. No source: 0."},
        {"energy.link.partial_mw", SOLIDTLM_FIELD(energy.link.asleep_mw[0]), power,
         "The same in Partial. No source: 0."},
        {"energy.link.slumber_mw", SOLIDTLM_FIELD(energy.link.asleep_mw[1]), power,
         "The same in Slumber. No source: 0."},
        {"energy.link.devsleep_mw", SOLIDTLM_FIELD(energy.link.asleep_mw[2]), power,
         "The same in DevSleep. No source: 0."},
        {"energy.core.active_mw", SOLIDTLM_FIELD(energy.core.active_mw), power,
         "Firmware core while it works. No source: 0."},
        {"energy.core.idle_mw", SOLIDTLM_FIELD(energy.core.idle_mw), power,
         "The same while it does not. No source: 0."},
    };
}

Keys firmware_keys() {
    return {
        {"firmware.unit", SOLIDTLM_FIELD(firmware.unit_bytes), size(512, 32 * kKib),
         "Mapping unit: a power of two that divides the page; at most 64 sectors."},
        {"firmware.read_segment", SOLIDTLM_FIELD(firmware.read_segment_bytes), size(512, 32 * kMib),
         "Part of a read that is gathered before it is sent; a multiple of firmware.unit."},
        {"firmware.write_segment", SOLIDTLM_FIELD(firmware.write_segment_bytes), size(512, 32 * kMib),
         "Part of a write that is received at once; a multiple of firmware.unit."},
        {"firmware.translation", SOLIDTLM_FIELD(firmware.translation),
         planned(fw::FirmwareConfig{}.translation, fw::translation_layers()),
         "page_map: every page anywhere; the others keep logical blocks together and merge "
         "(block-map.md)."},
        {"firmware.write_buffer.size", SOLIDTLM_FIELD(firmware.write_buffer.size_bytes), size(512, kTib),
         "Write buffer in DRAM; at least one superpage and one write segment."},
        {"firmware.write_buffer.policy", SOLIDTLM_FIELD(firmware.write_buffer.policy),
         enumerator({"write_back", "write_through"}),
         "write_back: a write completes in the buffer; write_through: in flash."},
        {"firmware.write_buffer.admission", SOLIDTLM_FIELD(firmware.write_buffer.admission),
         enumerator({"burst", "even"}),
         "burst: writes enter the buffer when it has room; even: at the rate at which it drains, if the "
         "buffer is larger than what flash takes at once."},
        {"firmware.write_buffer.idle_flush", SOLIDTLM_FIELD(firmware.write_buffer.idle_flush),
         duration(Ps{0}, 3'600s), "Write a partly filled superpage after this much idle time; 0s: never."},
        {"firmware.map_cache.policy", SOLIDTLM_FIELD(firmware.map_cache.policy),
         registered(fw::map_cache_policies(), {fw::MapCacheConfig{}.policy, ""}),
         "full_table: the whole map in DRAM; the others keep part of it there, the rest on flash."},
        {"firmware.map_cache.size", SOLIDTLM_FIELD(firmware.map_cache.size_bytes), size(1, kTib),
         "DRAM for cached entries and what it takes to find and order them; not for full_table."},
        {"firmware.map_cache.tafp_bytes", SOLIDTLM_FIELD(firmware.map_cache.tafp_bytes), size(8, 256),
         "tafp: entries brought in on a miss, 4 bytes each."},
        {"firmware.map_cache.bsb_candidates", SOLIDTLM_FIELD(firmware.map_cache.bsb_candidates),
         printable(4, 100),
         "bsb: windows to choose from, by comma: full (a translation page) and tafp_N (N bytes of "
         "entries)."},
        {"firmware.map_cache.bsb_decay", SOLIDTLM_FIELD(firmware.map_cache.bsb_decay), number(0.0, 0.999999),
         "bsb: what is left of a window's score at each page request."},
        {"firmware.map_cache.bsb_balance", SOLIDTLM_FIELD(firmware.map_cache.bsb_balance), boolean(),
         "bsb: a window scores only if its runs would still be in a cache of this size."},
        {"firmware.map_cache.sftl_dirty_share", SOLIDTLM_FIELD(firmware.map_cache.sftl_dirty_share),
         number(0.0, 0.5), "sftl: share of the size for single dirty entries whose page has left."},
        {"firmware.map_cache.sftl_sparse_limit", SOLIDTLM_FIELD(firmware.map_cache.sftl_sparse_limit),
         integer(0, 1'024, "entries"),
         "sftl: most dirty entries of a page that go there instead of being written."},
        {"firmware.map_cache.cftl_group", SOLIDTLM_FIELD(firmware.map_cache.cftl_group),
         integer(2, 128, "units"), "cftl: logical pages that one block entry stands for: a power of two."},
        {"firmware.map_cache.cftl_heat_groups", SOLIDTLM_FIELD(firmware.map_cache.cftl_heat_groups),
         integer(1, 1'048'576, "counters"),
         "cftl: request counters of 4 bits, shared by the groups that hash to one."},
        {"firmware.map_cache.translation_page", SOLIDTLM_FIELD(firmware.map_cache.translation_page_bytes),
         size(0, 64 * kKib),
         "Part of the map that is read and written at once: a power of two from 512 bytes to a page; 0: "
         "the largest."},
        {"firmware.trim.persist", SOLIDTLM_FIELD(firmware.recovery.trims),
         enumerator({"lazy", "journal", "immediate"}),
         "What of a TRIM survives a power cut. lazy: nothing; journal: what a FLUSH followed; immediate: "
         "every TRIM that has completed."},
        {"firmware.recovery.checkpoint_interval", SOLIDTLM_FIELD(firmware.recovery.checkpoint_interval),
         size(0, kTib),
         "A checkpoint of the map on flash after this much was programmed, which bounds the time of a "
         "boot "
         "after a power cut; 0: none."},
        {"firmware.allocation.order", SOLIDTLM_FIELD(firmware.allocation.order), printable(4, 4),
         "Striping: a permutation of C (channel), W (way), D (die), P (plane); the first varies fastest."},
        {"firmware.allocation.mode", SOLIDTLM_FIELD(firmware.allocation.mode),
         enumerator({"static", "dynamic"}),
         "static: the logical address decides; dynamic: the least busy unit."},
        {"firmware.allocation.striping", SOLIDTLM_FIELD(firmware.allocation.striping),
         enumerator({"full", "none"}),
         "full: over every parallel unit; none: one block is filled after another."},
        {"firmware.allocation.programs_per_die", SOLIDTLM_FIELD(firmware.allocation.programs_per_die),
         integer(1, 1'024), "Programs queued at a die before another die is chosen."},
        {"firmware.gc.policy", SOLIDTLM_FIELD(firmware.gc.policy), registered(fw::gc_policies()),
         "Which block is collected."},
        {"firmware.gc.d", SOLIDTLM_FIELD(firmware.gc.d), integer(1, 65'536), "d_choices: blocks drawn."},
        {"firmware.gc.foreground_threshold", SOLIDTLM_FIELD(firmware.gc.foreground_threshold),
         integer(1, 65'536, "superblocks"),
         "Host writes to a parallel unit wait at or below this many free superblocks."},
        {"firmware.gc.background_threshold", SOLIDTLM_FIELD(firmware.gc.background_threshold),
         integer(2, 65'536, "superblocks"),
         "Garbage collection runs below this many; above foreground_threshold."},
        {"firmware.gc.copy_back", SOLIDTLM_FIELD(firmware.gc.copy_back), boolean(),
         "Move whole pages inside the die where every unit is still valid. Not with read reclaim of page_map "
         "or parity."},
        {"firmware.gc.pipeline_depth", SOLIDTLM_FIELD(firmware.gc.pipeline_depth),
         integer(1, 256, "superpages"), "Superpages of one garbage collection in flight."},
        {"firmware.gc.pacing", SOLIDTLM_FIELD(firmware.gc.pacing), enumerator({"burst", "paced"}),
         "burst: collect as fast as possible while free superblocks are short; paced: after each superpage "
         "of the host, move as much as replaces it."},
        {"firmware.gc.idle_threshold", SOLIDTLM_FIELD(firmware.gc.idle_threshold),
         integer(0, 65'536, "superblocks"),
         "While the host is idle, collect up to this many free superblocks; 0: background_threshold."},
        {"firmware.wear.dynamic", SOLIDTLM_FIELD(firmware.wear.dynamic), boolean(),
         "Take the free superblock with the fewest erases."},
        {"firmware.wear.static_threshold", SOLIDTLM_FIELD(firmware.wear.static_threshold),
         integer(0, 4'294'967'295, "erases"),
         "page_map: move cold data when erase counts differ by more; 0: off."},
        {"firmware.word_lines.protect", SOLIDTLM_FIELD(firmware.word_lines.protect),
         enumerator({"none", "pad", "capacitor"}),
         "page_map: what keeps data if a power cut destroys pages that were programmed earlier "
         "(nand.power_cut). "
         "pad: only whole word lines are written, one page after the other; what a FLUSH or FUA cannot fill "
         "is "
         "padded. capacitor: it lasts until all programs under way have ended."},
        {"firmware.reliability.reclaim_bits", SOLIDTLM_FIELD(firmware.reliability.reclaim_bits),
         integer(0, 65'535, "bits"),
         "page_map: a superblock is moved when ECC has corrected this many bits in one of its codewords, or "
         "a page had to be read again; 0: off (reliability.md)."},
        {"firmware.reliability.parity_dies", SOLIDTLM_FIELD(firmware.reliability.parity_dies),
         where(
             integer(0, 64, "dies"), [](std::uint64_t dies) { return dies != 1; }, "not 1"),
         "page_map: dies of a group, on as many neighbouring channels, whose pages at the same place share "
         "one page of parity; 0: none (reliability.md)."},
        {"firmware.reliability.patrol", SOLIDTLM_FIELD(firmware.reliability.patrol), duration(Ps{0}, 3'600s),
         "page_map: time between two superpages that are read to see how they are, while the host is idle; "
         "0s: none are."},
        {"firmware.reliability.rated_cycles", SOLIDTLM_FIELD(firmware.reliability.rated_cycles),
         integer(1, 4'294'967'295, "erases"),
         "Erases of a block that count as 100 % used in SMART data and Device Statistics (reliability.md)."},
    };
}

Keys block_map_keys() {
    return {
        {"firmware.block_map.log_blocks", SOLIDTLM_FIELD(firmware.block_map.log_blocks),
         integer(0, 1'048'576, "blocks"),
         "Log or mirror blocks in use at most; superblock: blocks beyond those that the data fill. "
         "0: 3 % of the blocks, and what the layer needs at least. Not for page_map and mtbs."},
        {"firmware.block_map.associativity", SOLIDTLM_FIELD(firmware.block_map.associativity),
         integer(1, 65'536, "blocks"), "kast: logical blocks that share a random log block (K)."},
        {"firmware.block_map.sequential_logs", SOLIDTLM_FIELD(firmware.block_map.sequential_logs),
         integer(1, 65'536, "blocks"), "kast: sequential log blocks at most."},
        {"firmware.block_map.superblock_blocks", SOLIDTLM_FIELD(firmware.block_map.superblock_blocks),
         integer(1, 1'024, "blocks"), "superblock: adjacent logical blocks of a superblock (N)."},
        {"firmware.block_map.superblock_logs", SOLIDTLM_FIELD(firmware.block_map.superblock_logs),
         integer(1, 1'024, "blocks"), "superblock: blocks that a superblock may have beyond these (K)."},
    };
}

Keys dedup_keys() {
    return {
        {"firmware.dedup.system", SOLIDTLM_FIELD(firmware.dedup.system),
         planned(fw::DedupConfig{}.system, fw::dedup_systems()),
         "Logical pages with equal contents share a physical one: found when they are written (online) "
         "or when the host is idle (dedup.md)."},
        {"firmware.dedup.table_size", SOLIDTLM_FIELD(firmware.dedup.table_bytes), size(1, kTib),
         "DRAM for fingerprints or CRC32 values, 48 or 36 bytes each; offline_separated: half for each."},
        {"firmware.dedup.shared_size", SOLIDTLM_FIELD(firmware.dedup.shared_bytes), size(1, kTib),
         "DRAM for shared pages, 16 bytes each."},
        {"firmware.dedup.idle_threshold", SOLIDTLM_FIELD(firmware.dedup.idle_threshold),
         duration(Ps{0}, 3'600s),
         "Time without a command before the host counts as idle; 0s: as soon as none is "
         "outstanding."},
        {"firmware.dedup.sampling", SOLIDTLM_FIELD(firmware.dedup.sampling), integer(1, 1'024, "pages"),
         "online: of this many pages one is hashed first, the others only if it is known; 1: all are."},
        {"firmware.dedup.protection", SOLIDTLM_FIELD(firmware.dedup.protection),
         enumerator({"none", "capacitor", "journal"}),
         "online: what keeps the records of duplicates over a power cut."},
    };
}

Keys cycle_keys() {
    const auto cycles = integer(0, 10'000'000, "cycles");
    return {
        {"firmware.cycles.command_fetch", SOLIDTLM_FIELD(firmware.cycles.command_fetch), cycles,
         "Take a command from the queue, hazard check."},
        {"firmware.cycles.command_complete", SOLIDTLM_FIELD(firmware.cycles.command_complete), cycles,
         "Status back to the device."},
        {"firmware.cycles.read_command", SOLIDTLM_FIELD(firmware.cycles.read_command), cycles,
         "Fixed work of each read command."},
        {"firmware.cycles.write_command", SOLIDTLM_FIELD(firmware.cycles.write_command), cycles,
         "Fixed work of each write command."},
        {"firmware.cycles.unit_lookup", SOLIDTLM_FIELD(firmware.cycles.unit_lookup), cycles,
         "Translate one mapping unit, without the DRAM access."},
        {"firmware.cycles.buffer_lookup", SOLIDTLM_FIELD(firmware.cycles.buffer_lookup), cycles,
         "Search the write buffer for one unit."},
        {"firmware.cycles.buffer_insert", SOLIDTLM_FIELD(firmware.cycles.buffer_insert), cycles,
         "Put one unit into the write buffer."},
        {"firmware.cycles.flash_issue", SOLIDTLM_FIELD(firmware.cycles.flash_issue), cycles,
         "Build and ring one flash descriptor."},
        {"firmware.cycles.flash_complete", SOLIDTLM_FIELD(firmware.cycles.flash_complete), cycles,
         "Handle one flash completion."},
        {"firmware.cycles.transfer_issue", SOLIDTLM_FIELD(firmware.cycles.transfer_issue), cycles,
         "Start one host transfer."},
        {"firmware.cycles.allocate", SOLIDTLM_FIELD(firmware.cycles.allocate), cycles,
         "Choose die, block and page for one superpage."},
        {"firmware.cycles.map_update", SOLIDTLM_FIELD(firmware.cycles.map_update), cycles,
         "Write one map entry and both valid counts."},
        {"firmware.cycles.trim_command", SOLIDTLM_FIELD(firmware.cycles.trim_command), cycles,
         "Fixed work of each DATA SET MANAGEMENT command, or SEND FPDMA QUEUED."},
        {"firmware.cycles.trim_range", SOLIDTLM_FIELD(firmware.cycles.trim_range), cycles,
         "Parse one range."},
        {"firmware.cycles.trim_unit", SOLIDTLM_FIELD(firmware.cycles.trim_unit), cycles, "Unmap one unit."},
        {"firmware.cycles.gc_select", SOLIDTLM_FIELD(firmware.cycles.gc_select), cycles, "Choose a victim."},
        {"firmware.cycles.gc_unit", SOLIDTLM_FIELD(firmware.cycles.gc_unit), cycles,
         "Check and move one unit."},
        {"firmware.cycles.cache_search", SOLIDTLM_FIELD(firmware.cycles.cache_search), cycles,
         "Find an entry in the map cache."},
        {"firmware.cycles.cache_order", SOLIDTLM_FIELD(firmware.cycles.cache_order), cycles,
         "Relink an entry of the map cache in the order of use."},
        {"firmware.cycles.cache_insert", SOLIDTLM_FIELD(firmware.cycles.cache_insert), cycles,
         "Put what a miss brought into the map cache."},
        {"firmware.cycles.cache_evict", SOLIDTLM_FIELD(firmware.cycles.cache_evict), cycles,
         "Choose a victim in the map cache and take it out."},
        {"firmware.cycles.log_search", SOLIDTLM_FIELD(firmware.cycles.log_search), cycles,
         "Look a page up among those of the log blocks."},
        {"firmware.cycles.merge_choose", SOLIDTLM_FIELD(firmware.cycles.merge_choose), cycles,
         "Decide what is merged, and from where."},
        {"firmware.cycles.merge_page", SOLIDTLM_FIELD(firmware.cycles.merge_page), cycles,
         "Find, move and remap one page of a merge."},
        {"firmware.cycles.dedup_search", SOLIDTLM_FIELD(firmware.cycles.dedup_search), cycles,
         "Look a fingerprint or CRC32 value up."},
        {"firmware.cycles.dedup_insert", SOLIDTLM_FIELD(firmware.cycles.dedup_insert), cycles,
         "Put one into its table, or take it out."},
        {"firmware.cycles.dedup_share", SOLIDTLM_FIELD(firmware.cycles.dedup_share), cycles,
         "Make a logical page refer to a shared one."},
        {"firmware.cycles.dedup_compare", SOLIDTLM_FIELD(firmware.cycles.dedup_compare), cycles,
         "Load, load and compare 8 bytes of two pages."},
        {"firmware.cycles.mark_unit", SOLIDTLM_FIELD(firmware.cycles.mark_unit), cycles,
         "Note, find or forget sectors of a unit that WRITE UNCORRECTABLE EXT names; none while there are "
         "none."},
        {"firmware.cycles.report_health", SOLIDTLM_FIELD(firmware.cycles.report_health), cycles,
         "Gather what SMART data and Device Statistics tell."},
        {"firmware.cycles.stream_search", SOLIDTLM_FIELD(firmware.cycles.stream_search), cycles,
         "Find the sequence that a read continues (firmware.read_cache)."},
        {"firmware.cycles.read_cache_search", SOLIDTLM_FIELD(firmware.cycles.read_cache_search), cycles,
         "Look one unit up in the read cache."},
        {"firmware.cycles.read_cache_insert", SOLIDTLM_FIELD(firmware.cycles.read_cache_insert), cycles,
         "Take a slot of the read cache for one unit."},
    };
}

}  // namespace

const std::vector<ConfigurationKey>& keys() {
    static const Keys all_keys = [] {
        Keys all;
        for (const auto& group :
             {general_keys(), geometry_keys(), nand_time_keys(), nand_rule_keys(), ecc_keys(), fault_keys(),
              dram_keys(), controller_keys(), sata_keys(), link_power_keys(), host_keys(), nvme_keys(),
              energy_keys(), firmware_keys(), read_cache_keys(), slc_cache_keys(), block_map_keys(),
              dedup_keys(), cycle_keys()}) {
            all.insert(all.end(), group.begin(), group.end());
        }
        return all;
    }();
    return all_keys;
}

}  // namespace solidtlm::platform
