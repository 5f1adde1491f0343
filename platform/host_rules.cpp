// SPDX-License-Identifier: Apache-2.0
//
// What the host, its interface and the link need of each other.
#include <fmt/format.h>

#include <algorithm>

#include "platform/configuration_rules.h"
#include "platform/interface_facts.h"

namespace solidtlm::platform {
namespace {

void check_sata(const Configuration& c, Rules& rules) {
    require_power_of_two(rules, "sata.physical_sector_size", c.sata.physical_sector_bytes);
    rules.require(c.has_nvme() || !c.sata.zeros_after_trim || c.sata.deterministic_after_trim,
                  {"sata.zeros_after_trim", "sata.deterministic_after_trim"},
                  "found zeros_after_trim = true with deterministic_after_trim = false; allowed: RZAT only "
                  "together with DRAT (ACS-3 7.12.6)");
    rules.require(c.has_nvme() || c.host.coalesce_completions == 0 || c.host.coalesce_time > hal::Ps{0},
                  {"host.coalesce_completions", "host.coalesce_time"},
                  fmt::format("found {} completions and no host.coalesce_time; allowed: with a time, after "
                              "which fewer completions interrupt, too",
                              c.host.coalesce_completions));
}

void check_ahci(const Configuration& c, Rules& rules) {
    const bool ahci = c.host.interface == HostInterface::ahci;
    rules.require(!ahci || c.content == hal::ContentMode::bytes, {"host.interface", "content"},
                  "found host.interface = \"ahci\" with contents other than bytes; allowed: content = "
                  "\"bytes\", which is what memory holds");
    rules.require(!ahci || c.host.coalesce_time == hal::Ps{0}, {"host.interface", "host.coalesce_time"},
                  "found host.interface = \"ahci\" with host.coalesce_time; allowed: one of them, because "
                  "the adapter does not coalesce completions (CAP.CCCS is 0)");
    const bool another =
        c.host.hba_read > hal::Ps{0} || c.host.hba_write > hal::Ps{0} || c.host.gather_time > hal::Ps{0};
    rules.require(!ahci || !another,
                  {"host.interface", "host.hba_read_time", "host.hba_write_time", "host.gather_time"},
                  "found host.interface = \"ahci\" with the time of another adapter; allowed: one of them, "
                  "because the AHCI adapter has times of its own (host.ahci)");
    require_power_of_two(rules, "host.ahci.dma_burst_size", std::max(c.host.ahci.dma_burst_bytes, 1U));
    rules.require(c.host.prd_bytes % hal::kSectorBytes == 0, {"host.ahci.prd_size"},
                  fmt::format("found {} bytes; allowed: a multiple of 512", c.host.prd_bytes));
}

void check_nvme(const Configuration& c, Rules& rules) {
    if (!c.has_nvme()) {
        return;
    }
    rules.require(c.host.nvme.queues <= c.nvme.queues, {"host.nvme.queues", "nvme.queues"},
                  fmt::format("found {} pairs of queues for the host; allowed: at most the {} of the "
                              "controller (nvme.queues)",
                              c.host.nvme.queues, c.nvme.queues));
    const std::uint32_t held = interface_facts(c).most_depth;
    rules.require(!rules.is_changed("host.nvme.queue_depth") || c.host.nvme.queue_depth <= held,
                  {"host.nvme.queue_depth", "host.nvme.queues", "host.nvme.queue_entries", "nvme.queues",
                   "nvme.queue_entries"},
                  fmt::format("found {} commands; allowed: at most the {} that the host's queues hold",
                              c.host.nvme.queue_depth, held));
    const std::uint32_t most = c.pcie.most_of_completion();
    rules.require(c.pcie.completion_bytes <= most,
                  {"pcie.completion_size", "pcie.max_payload", "pcie.max_read_request"},
                  fmt::format("found completions of {} bytes; allowed: at most {}, the least of "
                              "pcie.max_payload ({}) and pcie.max_read_request ({}), or 0",
                              c.pcie.completion_bytes, most, c.pcie.max_payload, c.pcie.max_read_request));
}

}  // namespace

void check_host(const Configuration& c, Rules& rules) {
    check_sata(c, rules);
    check_ahci(c, rules);
    check_nvme(c, rules);
}

}  // namespace solidtlm::platform
