// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fw/limits.h"
#include "fw/media/layout.h"
#include "hw/nand/timing.h"
#include "hw/sata/fis.h"
#include "hw/sata/frame_timing.h"

namespace solidtlm::testbench::striping {
namespace {

constexpr double kPsPerUs = 1e6;

double us(hal::Ps time) {
    return static_cast<double>(time.count()) / kPsPerUs;
}

double mean_us(const std::vector<hal::Ps>& times) {
    return us(std::accumulate(times.begin(), times.end(), hal::Ps{0})) / static_cast<double>(times.size());
}

std::uint32_t planes_of(const platform::Configuration& configuration) {
    return fw::planes_per_parallel_unit(configuration.firmware.allocation.order,
                                        configuration.nand.geometry.planes);
}

std::uint32_t superpage_bytes(const platform::Configuration& configuration) {
    return planes_of(configuration) * configuration.nand.geometry.page_bytes;
}

/// Bytes on the bus for `bytes` of a page: whole codewords, each with its parity.
std::uint32_t bus_bytes(const hw::EccConfig& ecc, std::uint32_t bytes) {
    if (ecc.codeword_bytes == 0) {
        return bytes;
    }
    const std::uint32_t codewords = (bytes + ecc.codeword_bytes - 1) / ecc.codeword_bytes;
    return codewords * (ecc.codeword_bytes + ecc.parity_bytes);
}

FlashCost read_cost(const platform::Configuration& configuration, const Stream& stream) {
    const hw::NandConfig& nand = configuration.nand;
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    const std::uint32_t page = nand.geometry.page_bytes;
    const std::uint32_t touched = std::max(1U, stream.bytes / page);
    const std::uint32_t planes = std::min(planes_of(configuration), touched);
    const std::uint32_t bytes = std::min(stream.bytes, page);  // of each plane
    const bool select = planes > 1 || nand.geometry.dies_per_way > 1;
    const hal::Ps commands = planes * bus.read_command();
    hal::Ps out = bus.t_rr + planes * bus.data_out(bus_bytes(nand.ecc, bytes)) + (planes - 1) * bus.t_rhw;
    out += select ? planes * bus.plane_select_out() : hal::Ps{0};
    FlashCost cost;
    cost.operations = static_cast<double>(stream.bytes) / (static_cast<double>(planes) * bytes);
    cost.bus_us = us(commands + out);
    cost.die_us = cost.bus_us + us((planes - 1) * nand.timing.plane_busy) + mean_us(nand.timing.read);
    return cost;
}

FlashCost write_cost(const platform::Configuration& configuration, const Stream& stream) {
    const hw::NandConfig& nand = configuration.nand;
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    const std::uint32_t planes = planes_of(configuration);
    const hal::Ps plane = bus.program_address() + bus.t_adl +
                          bus.data_in(bus_bytes(nand.ecc, nand.geometry.page_bytes) + nand.metadata_bytes) +
                          bus.program_confirm();
    FlashCost cost;
    cost.operations = static_cast<double>(stream.bytes) / superpage_bytes(configuration);
    cost.bus_us = us(planes * plane + bus.status(nand.geometry.dies_per_way > 1));
    cost.die_us = cost.bus_us + us((planes - 1) * nand.timing.plane_busy) + mean_us(nand.timing.program);
    return cost;
}

/// Mean numbers of different dies and channels among `count` neighbours in the stripe.
Reached neighbours(const platform::Configuration& configuration, double count) {
    const fw::MediaLayout layout(configuration.firmware);
    const auto window =
        std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::llround(count)), 1, layout.pus());
    Reached sum;
    for (std::uint32_t first = 0; first < layout.pus(); ++first) {
        std::set<std::uint32_t> dies;
        std::set<std::uint32_t> channels;
        for (std::uint32_t i = 0; i < window; ++i) {
            const fw::Pu pu = layout.stripe(std::uint64_t{first} + i);
            channels.insert(layout.channel_of(pu).value);
            dies.insert(layout.channel_of(pu).value * configuration.nand.geometry.dies +
                        layout.die_of(pu).value);
        }
        sum.dies += static_cast<double>(dies.size());
        sum.channels += static_cast<double>(channels.size());
    }
    return {sum.dies / layout.pus(), sum.channels / layout.pus()};
}

/// Without striping a window of `window_bytes` slides over superblocks, each on a parallel unit of its own.
/// In the steady state a superblock is issued in the time P in which the next one would be, and drained in k
/// P: of the k that drain, the j-th has (1 - j / k) of its N pages outstanding, which together are the window
/// W. So W = N (k - 1) / 2.
double superblocks_in(const platform::Configuration& configuration, double window_bytes) {
    const double superblock = static_cast<double>(planes_of(configuration)) *
                              static_cast<double>(configuration.nand.geometry.block_bytes());
    return 1.0 + 2.0 * window_bytes / superblock;
}

double core_us(const platform::Configuration& configuration, const Stream& stream, double operations) {
    const fw::CycleCosts& cycles = configuration.firmware.cycles;
    const double units = std::max(1.0, static_cast<double>(stream.bytes) / configuration.firmware.unit_bytes);
    double sum = cycles.command_fetch + cycles.command_complete + cycles.transfer_issue;
    sum += units * cycles.buffer_lookup + operations * (cycles.flash_issue + cycles.flash_complete);
    sum += stream.operation == Operation::read
               ? units * cycles.unit_lookup
               : units * (cycles.buffer_insert + cycles.map_update) + operations * cycles.allocate;
    return sum / configuration.core.frequency_mhz;
}

}  // namespace

FlashCost flash_cost(const platform::Configuration& configuration, const Stream& stream) {
    return stream.operation == Operation::read ? read_cost(configuration, stream)
                                               : write_cost(configuration, stream);
}

double link_us(const platform::Configuration& configuration, const Stream& stream) {
    const hw::FrameTiming timing(configuration.sata);
    const auto frame = [&timing](hw::FisType type, std::uint32_t payload = 0) {
        return us(timing.frame_time(hw::fis_header_bytes(static_cast<std::uint8_t>(type)) + payload));
    };
    // Command, its acceptance, DMA Setup, data, completion.
    double time = frame(hw::FisType::register_h2d) + frame(hw::FisType::register_d2h) +
                  frame(hw::FisType::dma_setup) + frame(hw::FisType::set_device_bits);
    std::uint32_t activations = configuration.sata.auto_activate ? 0 : 1;
    for (std::uint32_t left = stream.bytes; left > 0;) {
        const std::uint32_t payload = std::min(left, hw::kMaxDataFisBytes);
        time += frame(hw::FisType::data, payload);
        left -= payload;
        activations += left > 0 ? 1 : 0;
    }
    return time + (stream.operation == Operation::write ? activations * frame(hw::FisType::dma_activate) : 0);
}

double busy_dies(double requests, double dies) {
    const double sum = requests + dies - 0.5;
    return sum - std::sqrt(sum * sum - 2.0 * requests * dies);
}

Reached reached(const platform::Configuration& configuration, const Stream& stream) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const fw::AllocationConfig& allocation = configuration.firmware.allocation;
    const Reached all{static_cast<double>(geometry.total_dies()), static_cast<double>(geometry.channels)};
    const double outstanding = static_cast<double>(stream.depth) * stream.bytes;
    const bool reads = stream.operation == Operation::read;
    if (allocation.striping == fw::StripingMode::none && !reads &&
        allocation.mode == fw::AllocationMode::dynamic) {
        return {1.0, 1.0};  // one superblock after another, wherever the data belong
    }
    if (!stream.sequential) {
        const double wanted = stream.depth * std::max(1.0, flash_cost(configuration, stream).operations);
        return reads ? Reached{busy_dies(wanted, all.dies), all.channels} : all;
    }
    if (allocation.striping == fw::StripingMode::none) {
        const auto buffer = static_cast<double>(configuration.firmware.write_buffer.size_bytes);
        return neighbours(configuration, superblocks_in(configuration, reads ? outstanding : buffer));
    }
    return reads ? neighbours(configuration, outstanding / superpage_bytes(configuration)) : all;
}

Resource Bounds::binding() const {
    return static_cast<Resource>(std::min_element(mb_per_s.begin(), mb_per_s.end()) - mb_per_s.begin());
}

Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream) {
    const FlashCost cost = flash_cost(configuration, stream);
    const hw::DramConfig& dram = configuration.dram;
    Bounds bounds;
    bounds.reached = reached(configuration, stream);
    const double bytes = stream.bytes;  // bytes a microsecond are MB/s
    // Each byte goes into the DRAM once and out of it once.
    bounds.mb_per_s = {bytes / link_us(configuration, stream),
                       bounds.reached.channels * bytes / (cost.operations * cost.bus_us),
                       bounds.reached.dies * bytes / (cost.operations * cost.die_us),
                       dram.data_rate_mt_per_s * dram.bus_bytes / 2.0,
                       bytes / core_us(configuration, stream, cost.operations)};
    return bounds;
}

}  // namespace solidtlm::testbench::striping
