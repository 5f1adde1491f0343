// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "fw/needs.h"
#include "hw/nand/plane_reads.h"
#include "testbench/studies/striping/striping.h"

namespace solidtlm::testbench::striping {
namespace {

/// The cost of a stream's flash operations.
struct StreamCost : FlashCost {
    double operations = 0.0;  ///< operations per request; less than 1 if several requests share a superpage
};

/// Numbers of dies (or planes that read independently) and of channels that work at a time if flash limits a
/// stream.
struct Reached {
    double dies = 0.0;
    double channels = 0.0;
};

/// As Reached, for a stream that moves along the stripe: the numbers at each place of the stripe, for a share
/// of the time. All places are passed equally often.
struct Window {
    std::vector<Reached> fewer;  ///< by place
    std::vector<Reached> more;   ///< with one more parallel unit
    double share_of_more = 0.0;
};

/// Planes per read operation of the stream.
std::uint32_t planes_read(const platform::Configuration& configuration, const Stream& stream) {
    return std::min(planes_of(configuration),
                    std::max(1U, stream.bytes / configuration.nand.geometry.page_bytes));
}

/// Whether an operation of the stream keeps only a plane busy, not its die.
bool plane_by_plane(const platform::Configuration& configuration, const Stream& stream) {
    return stream.operation == Operation::read && planes_read(configuration, stream) == 1 &&
           hw::plane_reads_of(configuration.nand) == hw::NandPlaneReads::independent;
}

Reached all_of(const platform::Configuration& configuration, bool planes) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    return {static_cast<double>(geometry.total_dies()) * (planes ? geometry.planes : 1),
            static_cast<double>(geometry.channels)};
}

/// Distinct dies (or `planes`) and channels among `count` neighbours, from each place of the stripe on.
std::vector<Reached> distinct(const platform::Configuration& configuration, std::uint32_t count,
                              bool planes) {
    const fw::MediaLayout layout = fw::media_layout(configuration.firmware);
    if (count >= layout.pus()) {
        return {all_of(configuration, planes)};
    }
    std::vector<Reached> places;
    for (std::uint32_t first = 0; first < layout.pus(); ++first) {
        std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> dies;
        std::set<std::uint32_t> channels;
        for (std::uint32_t i = 0; i < count; ++i) {
            const fw::Pu pu = layout.stripe(std::uint64_t{first} + i);
            channels.insert(layout.channel_of(pu).value);
            dies.emplace(layout.channel_of(pu).value, layout.die_of(pu).value,
                         planes ? layout.nand_page(pu, fw::Superblock{0}, 0, 0).plane.value : 0U);
        }
        places.push_back({static_cast<double>(dies.size()), static_cast<double>(channels.size())});
    }
    return places;
}

/// A mean number of neighbours, which need not be whole.
Window neighbours(const platform::Configuration& configuration, double count, bool planes) {
    const double at_least_one = std::max(1.0, count);
    const auto whole = static_cast<std::uint32_t>(std::min(at_least_one, 1e6));
    const std::vector<Reached> fewer = distinct(configuration, whole, planes);
    if (fewer.size() == 1) {
        return Window{fewer, fewer, 0.0};
    }
    std::vector<Reached> more = distinct(configuration, whole + 1, planes);
    more.resize(fewer.size(), more.front());  // all of them, from every place
    return Window{fewer, more, at_least_one - whole};
}

StreamCost flash_cost(const platform::Configuration& configuration, const Stream& stream) {
    const std::uint32_t page = configuration.nand.geometry.page_bytes;
    if (stream.operation == Operation::write) {
        return {program_cost(configuration, planes_of(configuration)),
                static_cast<double>(stream.bytes) / superpage_bytes(configuration)};
    }
    const std::uint32_t planes = planes_read(configuration, stream);
    const std::uint32_t bytes = std::min(stream.bytes, page);  // per plane
    return {read_cost(configuration, planes, bytes),
            static_cast<double>(stream.bytes) / (static_cast<double>(planes) * bytes)};
}

Window everywhere(const Reached& reached) {
    return Window{{reached}, {reached}, 0.0};
}

/// Without striping, adjacent requests fill one superblock after another, each on a parallel unit of its own,
/// and the outstanding requests reach into the next ones. In the steady state, a superblock of N requests is
/// issued in the time P in which the next one will be issued, and drains in k P. Of the k superblocks that
/// drain, the j-th has (1 - j / k) N requests outstanding, in total N (k - 1) / 2. Requests come and go as a
/// whole, which adds half a request for the superblock that is being issued and half a request for each one
/// that drains. The total is the window W less the requests that are on the link, k times `on_link`:
///   N (k - 1) / 2 + (k + 1) / 2 = W - k on_link
double superblocks_in(double window, double superblock, double on_link) {
    return (superblock + 2.0 * window - 1.0) / (superblock + 1.0 + 2.0 * on_link);
}

/// Superblocks that work at a time, on reads of requests or on programs of superpages from the write buffer.
double superblocks_reached(const platform::Configuration& configuration, const Stream& stream) {
    const double superblock = static_cast<double>(planes_of(configuration)) *
                              static_cast<double>(configuration.nand.geometry.block_bytes());
    if (stream.operation == Operation::write) {
        const double superpage = superpage_bytes(configuration);
        return superblocks_in(static_cast<double>(configuration.firmware.write_buffer.size_bytes) / superpage,
                              superblock / superpage, 0.0);
    }
    const StreamCost cost = flash_cost(configuration, stream);
    const double on_link =
        link_us(configuration, stream.operation, stream.bytes) / (cost.operations * cost.die_us);
    return superblocks_in(stream.depth, superblock / stream.bytes, on_link);
}

Window reached(const platform::Configuration& configuration, const Stream& stream) {
    const fw::AllocationConfig& allocation = configuration.firmware.allocation;
    const bool planes = plane_by_plane(configuration, stream);
    const Reached all = all_of(configuration, planes);
    const bool reads = stream.operation == Operation::read;
    if (allocation.striping == fw::StripingMode::none && !reads &&
        allocation.mode == fw::AllocationMode::dynamic) {
        return everywhere({1.0, 1.0});  // one superblock after another, wherever the data is
    }
    if (!stream.sequential) {
        const double wanted = stream.depth * std::max(1.0, flash_cost(configuration, stream).operations);
        return everywhere(reads ? Reached{busy_dies(wanted, all.dies), all.channels} : all);
    }
    if (allocation.striping == fw::StripingMode::none) {
        return neighbours(configuration, superblocks_reached(configuration, stream), planes);
    }
    const double outstanding = static_cast<double>(stream.depth) * stream.bytes;
    return reads ? neighbours(configuration, outstanding / superpage_bytes(configuration), planes)
                 : everywhere(all);
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

/// Bounds at one place of the stripe.
std::array<double, kResources> bounds_at(const Bounds& fixed, const StreamCost& cost, double bytes,
                                         const Reached& reached) {
    const double others = std::min(1.0, reached.dies / reached.channels - 1.0);
    const double die_us = cost.die_us + others * cost.foreign_us;
    std::array<double, kResources> bounds = fixed.mb_per_s;
    bounds[static_cast<std::size_t>(Resource::channels)] =
        reached.channels * bytes / (cost.operations * cost.bus_us);
    bounds[static_cast<std::size_t>(Resource::dies)] = reached.dies * bytes / (cost.operations * die_us);
    return bounds;
}

}  // namespace

std::string_view Bounds::binding() const {
    return kResourceNames[static_cast<std::size_t>(std::ranges::min_element(mb_per_s) - mb_per_s.begin())];
}

Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream) {
    const StreamCost cost = flash_cost(configuration, stream);
    const hw::DramConfig& dram = configuration.dram;
    const double bytes = stream.bytes;
    Bounds bounds;
    // Each byte is written to DRAM once and read from it once.
    bounds.mb_per_s = {bound_mb_per_s(1.0, bytes, link_us(configuration, stream.operation, stream.bytes)),
                       0.0, 0.0, dram.data_rate_mt_per_s * dram.bus_bytes / 2.0,
                       bound_mb_per_s(1.0, bytes, core_us(configuration, stream, cost.operations))};
    // Places are passed one after another, so their times add up; at each place, the numbers of dies
    // alternate.
    const Window window = reached(configuration, stream);
    std::array<double, kResources> times{};
    double time = 0.0;
    for (std::size_t place = 0; place < window.fewer.size(); ++place) {
        const auto fewer = bounds_at(bounds, cost, bytes, window.fewer[place]);
        const auto more = bounds_at(bounds, cost, bytes, window.more[place]);
        const auto mean = [&window](double low, double high) {
            return low + window.share_of_more * (high - low);
        };
        for (std::size_t i = 0; i < kResources; ++i) {
            times[i] += 1.0 / mean(fewer[i], more[i]);
        }
        time += 1.0 / mean(*std::min_element(fewer.begin(), fewer.end()),
                           *std::min_element(more.begin(), more.end()));
    }
    const auto places = static_cast<double>(window.fewer.size());
    for (std::size_t i = 0; i < kResources; ++i) {
        bounds.mb_per_s[i] = places / times[i];
    }
    bounds.least = places / time;
    return bounds;
}

}  // namespace solidtlm::testbench::striping
