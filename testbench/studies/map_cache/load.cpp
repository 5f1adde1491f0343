// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/load.h"

#include <algorithm>
#include <filesystem>

#include "testbench/simulation/request_source.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint64_t kLargest = 1U << 30U;  ///< sectors of one access; longer requests become several

/// "desktop" of /traces/desktop.trace.xz; a workload's own words.
std::string short_name(const LoadSpec& spec) {
    if (!spec.trace) {
        return spec.text;
    }
    const std::string file = std::filesystem::path(spec.text).filename().string();
    return file.substr(0, std::max<std::size_t>(1, file.find('.')));
}

void take(const Request& request, std::uint32_t unit_sectors, Load& load) {
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    load.properties.add(request);
    for (std::uint64_t done = 0; done < request.sectors;) {
        const std::uint64_t sectors = std::min(kLargest, request.sectors - done);
        load.accesses.push_back(Access{Lba{request.lba.value + done}, static_cast<std::uint32_t>(sectors),
                                       request.operation == Operation::write});
        each_page_request(load.accesses.back(), unit_sectors,
                          [&load](hal::Lpn, bool, std::uint32_t) { ++load.page_requests; });
        done += sectors;
    }
}

}  // namespace

std::vector<Load> read_loads(const std::vector<LoadSpec>& specs, const CommandLine& line) {
    std::vector<Load> loads;
    const std::uint32_t unit_sectors = line.configuration.firmware.unit_bytes / hal::kSectorBytes;
    for (const LoadSpec& spec : specs) {
        CommandLine one = line;
        one.traces = spec.trace ? std::vector<std::string>{spec.text} : std::vector<std::string>{};
        one.workload = spec.trace ? "" : spec.text;
        Load& load = loads.emplace_back();
        load.name = short_name(spec);
        const auto same = [&load](const Load& other) { return &other != &load && other.name == load.name; };
        load.name = std::ranges::any_of(loads, same) ? spec.text : load.name;
        const auto source = make_request_source(one);
        Request request;
        while (source->next(request)) {
            take(request, unit_sectors, load);
        }
        if (load.accesses.empty()) {
            throw InputError(spec.text + ": there is no read and no write in it");
        }
    }
    return loads;
}

}  // namespace solidtlm::testbench::map_cache
