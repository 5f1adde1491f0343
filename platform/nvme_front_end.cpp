// SPDX-License-Identifier: Apache-2.0
#include "platform/nvme_front_end.h"

#include <fmt/format.h>

#include <algorithm>

namespace solidtlm::platform {

NvmeFrontEnd::NvmeFrontEnd(const Configuration& configuration, hw::ProtocolCheckers& checkers)
    : device("device", configuration.nvme, configuration.pcie), checkers_(checkers) {
    device.interrupt.bind(interrupt);
}

hal::Ps NvmeFrontEnd::link_busy() const {
    return std::max(device.link().up_busy(), device.link().down_busy());
}

std::string NvmeFrontEnd::queues() const {
    return fmt::format("controller {} commands that firmware has not taken", device.not_fetched());
}

}  // namespace solidtlm::platform
