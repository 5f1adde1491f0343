// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "testbench/simulation/request_source.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kBytesPerMib = 1U << 20U;
constexpr double kBytesPerKib = 1U << 10U;

/// "desktop" of traces/desktop.trace.xz, "desktop_2" for another file of that name.
std::string trace_name(const std::string& path, const std::vector<Load>& before) {
    const std::string file = std::filesystem::path(path).filename().string();
    const std::string stem = file.substr(0, std::max<std::size_t>(1, file.find('.')));
    std::string name = stem;
    const auto taken = [&](const Load& load) { return load.name == name; };
    for (int number = 2; std::ranges::any_of(before, taken); ++number) {
        name = fmt::format("{}_{}", stem, number);
    }
    return name;
}

bool moves_data(const Request& request) {
    return request.operation == Operation::read || request.operation == Operation::write;
}

/// The request's bytes, place by place.
void add_to_pattern(const Request& request, std::uint64_t sectors_per_place, std::size_t time,
                    Profile& profile) {
    const std::uint64_t end = request.lba.value + request.sectors;
    for (std::uint64_t at = request.lba.value; at < end;) {
        const std::uint64_t place = std::min<std::uint64_t>(at / sectors_per_place, Profile::kPlaces - 1);
        const std::uint64_t stop =
            place + 1 < Profile::kPlaces ? std::min(end, (place + 1) * sectors_per_place) : end;
        profile.pattern[place][time] += static_cast<double>((stop - at) * hal::kSectorBytes) / kBytesPerMib;
        at = stop;
    }
}

}  // namespace

std::vector<Load> loads_of(const std::vector<std::string>& names, const CommandLine& line, double scale) {
    std::vector<Load> loads;
    CommandLine one = line;
    one.traces.clear();
    for (const std::string& name : names) {
        one.workload = fmt::format("{},scale={}", name, scale);
        loads.push_back(Load{name, one});
    }
    if (!line.workload.empty()) {
        one.workload = line.workload;
        loads.push_back(Load{line.workload, one});
    }
    one.workload.clear();
    for (const std::string& trace : line.traces) {
        one.traces = {trace};
        loads.push_back(Load{trace_name(trace, loads), one});
    }
    return loads;
}

std::unique_ptr<RequestSource> open(const Load& load, const platform::Configuration& configuration) {
    CommandLine line = load.line;
    line.configuration = configuration;
    return make_request_source(line);
}

double Profile::mean_kib() const {
    return requests > 0 ? static_cast<double>(bytes) / static_cast<double>(requests) / kBytesPerKib : 0.0;
}

Profile profile_of(const Load& load, const platform::Configuration& configuration) {
    Profile profile;
    profile.pattern.assign(Profile::kPlaces, std::vector<double>(Profile::kTimes));
    Request request;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    for (const auto source = open(load, configuration); source->next(request);) {
        if (!moves_data(request)) {
            continue;
        }
        const std::uint64_t bytes = request.sectors * hal::kSectorBytes;
        ++profile.requests;
        profile.bytes += bytes;
        if (request.operation == Operation::write) {
            profile.written_bytes += bytes;
            each_unit(request.lba, request.sectors, unit, [&](hal::Lpn) { ++profile.pages_written; });
        }
    }
    const std::uint64_t per_place =
        std::max<std::uint64_t>(1, configuration.firmware.exported_sectors / Profile::kPlaces);
    std::uint64_t number = 0;
    for (const auto source = open(load, configuration); source->next(request);) {
        if (moves_data(request)) {
            add_to_pattern(request, per_place, number++ * Profile::kTimes / profile.requests, profile);
        }
    }
    return profile;
}

}  // namespace solidtlm::testbench::fragmentation
