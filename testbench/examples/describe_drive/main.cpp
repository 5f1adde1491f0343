// SPDX-License-Identifier: Apache-2.0
//
// Builds a drive and prints its parameters and metrics by name: describe_drive [PRESET [KEY=VALUE...]].
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "platform/named_values.h"
#include "platform/ssd.h"

namespace platform = solidtlm::platform;

namespace {

void print(const std::string& name, const platform::NamedValue& value) {
    std::printf("%-48s %s%s%s  # %s\n", name.c_str(), value.value.c_str(), value.unit.empty() ? "" : " ",
                value.unit.c_str(), value.what.c_str());
}

}  // namespace

int sc_main(int argc, char* argv[]) try {
    platform::ConfigurationSources sources;
    sources.preset = argc > 1 ? argv[1] : "default";
    sources.settings.assign(argv + (argc > 1 ? 2 : 1), argv + argc);
    const platform::Ssd ssd("ssd", platform::load_configuration(sources));
    const platform::NamedValues values(ssd);
    for (const std::string& name : values.parameters()) {
        print(name, values.parameter(name).value());
    }
    for (const std::string& name : values.metrics()) {
        print(name, values.metric(name).value());
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
}
