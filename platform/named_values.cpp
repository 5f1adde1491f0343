// SPDX-License-Identifier: Apache-2.0
#include "platform/named_values.h"

#include <fmt/format.h>

#include "platform/configuration_keys.h"
#include "platform/ssd_metrics.h"

namespace solidtlm::platform {
namespace {

constexpr std::string_view kFirmware = "firmware.";
constexpr std::string_view kHardware = "hardware.";

hal::Metrics firmware_metrics(const Ssd& ssd) {
    return ssd.powered() ? ssd.firmware().metrics() : hal::Metrics();
}

}  // namespace

std::vector<std::string> NamedValues::parameters() const {
    std::vector<std::string> names;
    names.reserve(keys().size());
    for (const ConfigurationKey& key : keys()) {
        names.emplace_back(key.name);
    }
    return names;
}

std::optional<NamedValue> NamedValues::parameter(std::string_view name) const {
    const ConfigurationKey* key = find_key(name);
    if (key == nullptr) {
        return std::nullopt;
    }
    return NamedValue{key->get(ssd_.configuration()), "", std::string(key->doc)};
}

std::vector<std::string> NamedValues::metrics() const {
    std::vector<std::string> names;
    for (const auto& [name, metric] : firmware_metrics(ssd_)) {
        names.push_back(fmt::format("{}{}", kFirmware, name));
    }
    for (const auto& [name, metric] : hardware_metrics(ssd_)) {
        names.push_back(fmt::format("{}{}", kHardware, name));
    }
    return names;
}

std::optional<NamedValue> NamedValues::metric(std::string_view name) const {
    const bool firmware = name.starts_with(kFirmware);
    if (!firmware && !name.starts_with(kHardware)) {
        return std::nullopt;
    }
    const hal::Metrics all = firmware ? firmware_metrics(ssd_) : hardware_metrics(ssd_);
    const auto* metric = all.find(std::string(name.substr((firmware ? kFirmware : kHardware).size())));
    if (metric == nullptr) {
        return std::nullopt;
    }
    return NamedValue{fmt::format("{}", metric->in_units()), std::string(metric->unit),
                      std::string(metric->what)};
}

}  // namespace solidtlm::platform
