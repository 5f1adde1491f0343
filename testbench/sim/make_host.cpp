// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/make_host.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "platform/interface_facts.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/nvme_host.h"
#include "testbench/sim/host/port/ahci_port.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/host_settings.h"

namespace solidtlm::testbench {
namespace {

AhciPortConfig adapter_config(const RunSpec& run, const RunHooks& hooks) {
    const platform::HostSide& host = run.configuration.host;
    AhciPortConfig config;
    config.adapter = host.ahci;
    config.adapter.generation = run.configuration.sata.generation;
    config.prd_bytes = host.prd_bytes;
    config.max_sectors = hooks.host.max_sectors;
    config.submit_time = host.submit;
    config.complete_time = host.complete;
    config.interrupt_latency = host.interrupt_latency;
    return config;
}

/// The run's settings of the host, with the host times of the configuration.
HostConfig host_config(const RunSpec& run, const RunHooks& hooks) {
    HostConfig config = hooks.host;
    config.content = run.configuration.content;
    config.queue_depth = queue_depth_of(run);
    config.until = run.until.value_or(Ps::max());
    const platform::HostSide& host = run.configuration.host;
    if (host.interface == platform::HostInterface::ahci) {
        config.max_sectors = adapter_config(run, hooks).sectors();
        return config;
    }
    config.submit_time = host.submit;
    config.complete_time = host.complete;
    config.interrupt_latency = host.interrupt_latency;
    if (run.configuration.has_nvme()) {
        return config;
    }
    config.hba_read_time = host.hba_read;
    config.hba_write_time = host.hba_write;
    config.coalesce_time = host.coalesce_time;
    config.coalesce_completions = host.coalesce_completions;
    return config;
}

/// Most commands that the host has outstanding, if its queues have room for them.
NvmeHostConfig nvme_config(const RunSpec& run) {
    const platform::Configuration& configuration = run.configuration;
    NvmeHostConfig config;
    config.queues = configuration.host.nvme.queues;
    config.queue_entries = configuration.nvme_entries();
    config.vectors = configuration.nvme.vectors;
    config.commands = std::min(queue_depth_of(run), platform::interface_facts(configuration).most_depth);
    config.polls = configuration.host.nvme.polls;
    return config;
}

}  // namespace

std::unique_ptr<DevicePort> make_port(const RunSpec& run, const RunHooks& hooks, platform::Ssd& ssd) {
    if (run.configuration.has_nvme()) {
        return nullptr;
    }
    if (run.configuration.host.interface == platform::HostInterface::ahci) {
        auto port = std::make_unique<AhciPort>("host_port", adapter_config(run, hooks), &ssd.agenda());
        ssd.sata().bind_host(port->hba().link_init[0], port->hba().link_target[0]);
        return port;
    }
    auto port = std::make_unique<LinkPort>("host_port", &ssd.agenda(), run.configuration.host.gather_time);
    ssd.sata().bind_host(port->link);
    return port;
}

std::unique_ptr<Host> make_host(const RunSpec& run, const RunHooks& hooks, platform::Ssd& ssd,
                                DevicePort* port, RequestSource& source, const Pacing& pacing,
                                CommandObserver& observer) {
    const HostConfig config = host_config(run, hooks);
    if (!run.configuration.has_nvme()) {
        SOLIDTLM_CHECK(port != nullptr, "a SATA host has a port");
        return std::make_unique<AtaHost>("host", config, *port, source, pacing, observer, ssd.agenda());
    }
    platform::NvmeFrontEnd& drive = ssd.nvme();
    auto host =
        std::make_unique<NvmeHost>("host", config, nvme_config(run), drive.device, source, pacing, observer);
    drive.bind_host(host->memory_target);
    return host;
}

}  // namespace solidtlm::testbench
