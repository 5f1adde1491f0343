// SPDX-License-Identifier: Apache-2.0
#include "testbench/state/age_cache.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "testbench/files/output_file.h"
#include "testbench/precondition/ageing.h"
#include "testbench/state/drive_file.h"
#include "testbench/state/prefixes.h"
#include "testbench/state/sha256.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(readability-identifier-naming): the macro makes functions with names of its own
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgeingReport, spec, host_bytes, programs, erases, last_written_bytes,
                                   last_programmed_bytes, failed)

namespace {

namespace fs = std::filesystem;

/// Keys on which ageing, which takes no time, does not depend.
bool irrelevant(std::string_view key, bool times_matter) {
    constexpr std::array<std::string_view, 8> kNever{
        "/core/",     "/energy/",      "/firmware/cycles/", "/host/", "/nand/controller/",
        "/run_ahead", "/closed_forms", "/sata/generation"};
    constexpr std::array<std::string_view, 2> kTimes{"/nand/bus/", "/nand/timing/"};
    return begins_with_any(key, kNever) || (!times_matter && begins_with_any(key, kTimes));
}

/// Of this program, the configuration and the preconditioning.
std::string key_of(const platform::Configuration& configuration, const Preconditioning& preconditioning) {
    Sha256 sum;
    std::ifstream program("/proc/self/exe", std::ios::binary);
    std::array<char, 1U << 16U> buffer{};
    while (program.read(buffer.data(), buffer.size()), program.gcount() > 0) {
        sum.add({buffer.data(), static_cast<std::size_t>(program.gcount())});
    }
    const auto keys = platform::to_json(configuration).flatten();
    const bool times_matter = !configuration.firmware.map_cache.whole_map();  // policies weigh them up
    for (const auto& [key, value] : keys.items()) {
        if (!irrelevant(key, times_matter)) {
            sum.add(key + "=" + value.dump() + "\n");
        }
    }
    sum.add(to_text(preconditioning));
    std::string text;
    for (const char byte : sum.digest()) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

/// A drive of the folder, or nothing: there is none, or it is damaged.
std::optional<AgeingReport> take(const fs::path& drive, const fs::path& report, platform::Ssd& ssd,
                                 Verifier& verifier) {
    std::ifstream file(report);
    try {
        const AgeingReport ageing = nlohmann::json::parse(file).get<AgeingReport>();
        load_drive(drive, ssd, verifier, platform::Start::as_saved, {});
        return ageing;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace

AgeingReport age_once(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                      ProgressMode progress) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string key = key_of(ssd.configuration(), preconditioning);
    const fs::path drive = preconditioning.cache / (key + ".drive");
    const fs::path report = preconditioning.cache / (key + ".json");
    std::optional<AgeingReport> ageing = take(drive, report, ssd, verifier);
    if (!ageing) {
        prepare_output_folder(preconditioning.cache);
        ageing = age(ssd, preconditioning, verifier, progress);
        if (ssd.firmware().may_be_saved()) {
            write_file_atomically(report, nlohmann::json(*ageing).dump() + "\n");
            save_drive(drive, ssd, verifier);
        }
    }
    ageing->wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return *ageing;
}

}  // namespace solidtlm::testbench
