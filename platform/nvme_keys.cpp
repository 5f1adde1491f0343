// SPDX-License-Identifier: Apache-2.0
//
// The keys of NVMe over PCI Express.
#include <fmt/format.h>

#include <bit>

#include "platform/configuration_keys.h"

namespace solidtlm::platform {
namespace {

using namespace std::chrono_literals;
using namespace kinds;
using hal::Ps;

constexpr std::uint32_t kMostQueues = 64;
constexpr std::uint32_t kMostEntries = 65'536;
constexpr std::uint32_t kMostSlots = 4096;

/// A power of two from `low` to 4096 bytes, or 0 if `zero`.
Kind<std::uint64_t> tlp_limit(std::uint64_t low, bool zero) {
    return where(
        size(zero ? 0 : low, 4096),
        [low, zero](std::uint64_t bytes) {
            return std::has_single_bit(bytes) ? bytes >= low : zero && bytes == 0;
        },
        zero ? fmt::format("0, or a power of two from {} on", low) : "a power of two");
}

}  // namespace

std::vector<ConfigurationKey> nvme_keys() {
    return {
        {"nvme.queues", SOLIDTLM_FIELD(nvme.queues), integer(1, kMostQueues),
         "Pairs of I/O queues that the controller has (nvme.md)."},
        {"nvme.queue_entries", SOLIDTLM_FIELD(nvme.queue_entries), integer(2, kMostEntries, "entries"),
         "Of the largest queue (CAP.MQES + 1)."},
        {"nvme.command_slots", SOLIDTLM_FIELD(nvme.command_slots), integer(1, kMostSlots, "commands"),
         "Commands that are fetched and not answered; firmware carries out as many at once, each with two "
         "read windows of firmware.read_segment in DRAM."},
        {"nvme.vectors", SOLIDTLM_FIELD(nvme.vectors), integer(1, kMostQueues + 1), "Of MSI-X."},
        {"nvme.write_cache", SOLIDTLM_FIELD(nvme.write_cache), boolean(),
         "Power-on state of the volatile write cache."},
        {"nvme.model", SOLIDTLM_FIELD(nvme.model), printable(1, 40), "Identify Controller, MN."},
        {"nvme.serial", SOLIDTLM_FIELD(nvme.serial), printable(1, 20), "Identify Controller, SN."},
        {"nvme.firmware_revision", SOLIDTLM_FIELD(nvme.firmware_revision), printable(1, 8),
         "Identify Controller, FR."},
        {"pcie.generation", SOLIDTLM_FIELD(pcie.generation),
         enumerator({"gen1", "gen2", "gen3", "gen4", "gen5"},
                    static_cast<std::uint64_t>(hw::PcieGeneration::gen1)),
         "2.5 and 5 GT/s with 8b/10b, 8, 16 and 32 GT/s with 128b/130b."},
        {"pcie.lanes", SOLIDTLM_FIELD(pcie.lanes),
         where(
             integer(1, 4), [](std::uint64_t lanes) { return lanes != 3; }, "not 3"),
         "Lanes of the link."},
        {"pcie.max_payload", SOLIDTLM_FIELD(pcie.max_payload), tlp_limit(128, false),
         "MPS: most data of a TLP."},
        {"pcie.max_read_request", SOLIDTLM_FIELD(pcie.max_read_request), tlp_limit(128, false),
         "MRRS: most bytes that a read request asks for."},
        {"pcie.completion_size", SOLIDTLM_FIELD(pcie.completion_bytes), tlp_limit(64, true),
         "Most data of a completion of the host's root: roots of old answer in pieces of RCB, 64; 0: MPS."},
        {"pcie.ecrc", SOLIDTLM_FIELD(pcie.ecrc), boolean(), "End-to-end CRC: 4 bytes more for each TLP."},
        {"pcie.root_latency", SOLIDTLM_FIELD(pcie.root_latency), duration(Ps{0}, 1ms),
         "From the end of a read request until the root begins to send its data."},
        {"pcie.dllps", SOLIDTLM_FIELD(pcie.dllps), enumerator({"guide", "per_lane", "none"}),
         "What ACK and flow control DLLPs and SKP ordered sets take of the link's time. guide: a pair after "
         "as many bytes as the standard's guide value has symbol times; per_lane: as many on each lane; "
         "none: "
         "nothing (nvme.md)."},
        {"host.nvme.queues", SOLIDTLM_FIELD(host.nvme.queues), integer(1, kMostQueues),
         "Pairs of I/O queues that the driver creates, as for so many processors, but no more than "
         "nvme.queues; "
         "commands go to them in turn."},
        {"host.nvme.queue_entries", SOLIDTLM_FIELD(host.nvme.queue_entries),
         integer(2, kMostEntries, "entries"),
         "Of each, but no more than nvme.queue_entries; a queue holds one command fewer."},
        {"host.nvme.queue_depth", SOLIDTLM_FIELD(host.nvme.queue_depth), integer(1, kMostEntries, "commands"),
         "Commands outstanding in all of them, at most; --queue-depth says otherwise."},
        {"host.nvme.polls", SOLIDTLM_FIELD(host.nvme.polls), boolean(),
         "The driver sees a completion as soon as it is in memory; without, the drive interrupts by MSI-X."},
    };
}

}  // namespace solidtlm::platform
