// SPDX-License-Identifier: Apache-2.0
//
// Pages of the Identify command.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hw/nvme/config.h"
#include "hw/nvme/registers.h"

namespace solidtlm::hw::nvme {

enum class Cns : std::uint8_t { name_space = 0, controller = 1, active_list = 2, descriptors = 3 };
constexpr std::uint32_t kNamespace = 1;  ///< the only one
constexpr std::uint32_t kEveryNamespace = 0xFFFFFFFF;

using IdentifyPage = std::array<std::byte, kPageBytes>;
[[nodiscard]] IdentifyPage identify_controller(const NvmeConfig& config);
[[nodiscard]] IdentifyPage identify_namespace(const NvmeConfig& config);
/// Namespaces with an id above `after`.
[[nodiscard]] IdentifyPage active_namespaces(std::uint32_t after);
[[nodiscard]] IdentifyPage namespace_descriptors(const NvmeConfig& config);

}  // namespace solidtlm::hw::nvme
