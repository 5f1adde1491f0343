// SPDX-License-Identifier: Apache-2.0
#include "platform/interface_facts.h"

#include <algorithm>

#include "hw/sata/ata.h"

namespace solidtlm::platform {

InterfaceFacts interface_facts(const Configuration& c) {
    if (c.has_nvme()) {
        constexpr std::uint32_t kMostIds = 0xF000;  // of 16 bits; the driver's own commands need some
        return {c.nvme.command_slots,
                c.host.nvme.queue_depth,
                std::min(c.host.nvme.queues * (c.nvme_entries() - 1), kMostIds),
                c.nvme.write_cache,
                true,
                true};
    }
    return {hw::ata::kTags + 1U,  // including the non-queued command
            c.sata.queue_depth,     c.sata.queue_depth, c.sata.write_cache, c.sata.deterministic_after_trim,
            c.sata.zeros_after_trim};
}

}  // namespace solidtlm::platform
