// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/flash_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "fw/drive/layout.h"
#include "hw/nand/plane_reads.h"
#include "hw/nand/timing.h"
#include "hw/nand/word_lines.h"
#include "hw/nvme/registers.h"
#include "hw/pcie/tlp_timing.h"
#include "hw/sata/fis.h"
#include "hw/sata/frame_timing.h"

namespace solidtlm::testbench {
namespace {

constexpr double kPsPerUs = 1e6;

double us(hal::Ps time) {
    return static_cast<double>(time.count()) / kPsPerUs;
}

double mean_us(const std::vector<hal::Ps>& times) {
    return us(std::accumulate(times.begin(), times.end(), hal::Ps{0})) / static_cast<double>(times.size());
}

/// Bytes on the bus for `bytes` of a page: whole codewords with their parity.
std::uint32_t bus_bytes(const hw::EccConfig& ecc, std::uint32_t bytes) {
    if (ecc.codeword_bytes == 0) {
        return bytes;
    }
    const std::uint32_t codewords = (bytes + ecc.codeword_bytes - 1) / ecc.codeword_bytes;
    return codewords * (ecc.codeword_bytes + ecc.parity_bytes);
}

/// Time of the prefix DAh for SLC mode.
hal::Ps prefix(const hw::BusTiming& bus, bool slc) {
    return slc ? bus.cycles(1, 0) : hal::Ps{0};
}

/// Reads a page on each of `planes` planes, with this many bytes of each on the bus.
FlashCost cost_of_read(const hw::NandConfig& nand, std::uint32_t planes, std::uint32_t on_bus, bool slc) {
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    const bool select = planes > 1 || hw::always_selects(nand);
    hal::Ps out = bus.t_rr + planes * bus.data_out(on_bus) + (planes - 1) * bus.t_rhw;
    out += select ? planes * bus.plane_select_out() : hal::Ps{0};
    FlashCost cost;
    cost.bus_us = us(prefix(bus, slc) + planes * bus.read_command() + out);
    cost.die_us = cost.bus_us + us((planes - 1) * nand.timing.plane_busy) +
                  (slc ? us(nand.slc.read) : mean_us(nand.timing.read));
    cost.foreign_us = (planes - 1) * us(out);
    return cost;
}

/// Link time of commands of up to 128 KiB in whole pages: that of the busier direction.
double pcie_us(const hw::PcieConfig& config, Operation operation, std::uint32_t bytes) {
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 32U;
    constexpr std::uint64_t kRegister = 0;
    const hw::TlpTiming timing(config);
    const std::uint32_t commands = (bytes + hw::nvme::kMostBytes - 1) / hw::nvme::kMostBytes;
    // Two doorbells and the command go down; the request for the command, the completion and an interrupt go
    // up.
    hal::Ps down = commands * (2 * timing.time(timing.write(kRegister, 4)) +
                               timing.time(timing.completions(kMemory, hw::nvme::kSqeBytes)));
    hal::Ps up = commands * (timing.time(timing.read_requests(kMemory, hw::nvme::kSqeBytes)) +
                             timing.time(timing.write(kMemory, hw::nvme::kCqeBytes)) +
                             timing.time(timing.write(kRegister, 4)));
    if (operation == Operation::write) {
        up += timing.time(timing.read_requests(kMemory, bytes));
        down += timing.time(timing.completions(kMemory, bytes));
    } else {
        up += timing.time(timing.write(kMemory, bytes));
    }
    return us(std::max(up, down));
}

}  // namespace

std::uint32_t planes_of(const platform::Configuration& configuration) {
    return fw::planes_per_parallel_unit(configuration.firmware.allocation.order,
                                        configuration.nand.geometry.planes);
}

std::uint32_t superpage_bytes(const platform::Configuration& configuration) {
    return planes_of(configuration) * configuration.firmware.flash.pages_per_program *
           configuration.nand.geometry.page_bytes;
}

FlashCost read_cost(const platform::Configuration& configuration, std::uint32_t planes, std::uint32_t bytes,
                    bool slc) {
    return cost_of_read(configuration.nand, planes, bus_bytes(configuration.nand.ecc, bytes), slc);
}

FlashCost metadata_read_cost(const platform::Configuration& configuration, std::uint32_t planes, bool slc) {
    return cost_of_read(configuration.nand, planes, configuration.nand.metadata_bytes, slc);
}

FlashCost copy_out_of_slc_cost(const platform::Configuration& configuration, std::uint32_t planes) {
    const hw::NandConfig& nand = configuration.nand;
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    const hal::Ps target = bus.program_address() + bus.column_change_in() + bus.data_in(nand.metadata_bytes) +
                           bus.program_confirm();
    FlashCost cost;
    cost.bus_us = us(prefix(bus, true) + planes * (bus.read_command() + target) +
                     bus.status(nand.geometry.dies_per_way > 1));
    cost.die_us = cost.bus_us + 2 * us((planes - 1) * nand.timing.plane_busy) + us(nand.slc.read) +
                  mean_us(nand.timing.program);
    return cost;
}

FlashCost program_cost(const platform::Configuration& configuration, std::uint32_t planes, bool slc) {
    const hw::NandConfig& nand = configuration.nand;
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    const std::uint32_t at_once = slc ? 1 : hw::pages_per_program(nand);
    const std::uint32_t programs = slc ? 1 : configuration.firmware.flash.pages_per_program / at_once;
    const std::uint32_t pages = planes * at_once;
    const hal::Ps page = bus.program_address() + bus.t_adl +
                         bus.data_in(bus_bytes(nand.ecc, nand.geometry.page_bytes) + nand.metadata_bytes) +
                         bus.program_confirm();
    FlashCost cost;
    cost.bus_us = programs * us(prefix(bus, slc) + pages * page + bus.status(nand.geometry.dies_per_way > 1));
    cost.die_us = cost.bus_us + programs * (us((pages - 1) * nand.timing.plane_busy) +
                                            (slc ? us(nand.slc.program) : mean_us(nand.timing.program)));
    cost.foreign_us = pages == planes ? programs * (planes - 1) * us(page) : 0.0;
    return cost;
}

double decode_us(const platform::Configuration& configuration) {
    const hw::EccConfig& ecc = configuration.nand.ecc;
    // Bytes divided by MB/s are microseconds.
    return ecc.codeword_bytes == 0 ? 0.0 : us(ecc.decode_latency) + ecc.codeword_bytes / ecc.decode_mb_per_s;
}

double bound_mb_per_s(double parallel, double bytes, double time_us) {
    constexpr double kUnlimited = 1e9;
    return time_us > 0.0 ? std::min(kUnlimited, parallel * bytes / time_us) : kUnlimited;
}

double bound_mb_per_s(const platform::Configuration& configuration, const FlashCost& cost, double bytes) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const double units =
        static_cast<double>(geometry.total_dies()) * geometry.planes / planes_of(configuration);
    // Other dies of a channel use the bus between the planes.
    const double held_us = cost.die_us + (geometry.dies > 1 ? cost.foreign_us : 0.0);
    return std::min(bound_mb_per_s(geometry.channels, bytes, cost.bus_us),
                    bound_mb_per_s(units, bytes, held_us));
}

double slc_program_mb_per_s(const platform::Configuration& configuration) {
    const std::uint32_t planes = planes_of(configuration);
    return bound_mb_per_s(configuration, program_cost(configuration, planes, true),
                          static_cast<double>(planes) * configuration.nand.geometry.page_bytes);
}

double link_us(const platform::Configuration& configuration, Operation operation, std::uint32_t bytes) {
    if (configuration.has_nvme()) {
        return pcie_us(configuration.pcie, operation, bytes);
    }
    const hw::FrameTiming timing(configuration.sata);
    const auto frame = [&timing](hw::FisType type, std::uint32_t payload = 0) {
        return us(timing.frame_time(hw::fis_header_bytes(static_cast<std::uint8_t>(type)) + payload));
    };
    // Command, its acceptance, DMA Setup, data, completion.
    double time = frame(hw::FisType::register_h2d) + frame(hw::FisType::register_d2h) +
                  frame(hw::FisType::dma_setup) + frame(hw::FisType::set_device_bits);
    std::uint32_t activations = configuration.sata.auto_activate ? 0 : 1;
    for (std::uint32_t left = bytes; left > 0;) {
        const std::uint32_t payload = std::min(left, hw::kMaxDataFisBytes);
        time += frame(hw::FisType::data, payload);
        left -= payload;
        activations += left > 0 ? 1 : 0;
    }
    return time + (operation == Operation::write ? activations * frame(hw::FisType::dma_activate) : 0);
}

double busy_dies(double requests, double dies) {
    const double sum = requests + dies - 0.5;
    return sum - std::sqrt(sum * sum - 2.0 * requests * dies);
}

}  // namespace solidtlm::testbench
