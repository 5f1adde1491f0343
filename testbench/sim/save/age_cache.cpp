// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/save/age_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "testbench/sim/age/ageing.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/save/drive_file.h"
#include "testbench/sim/save/prefixes.h"
#include "testbench/sim/save/sha256.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(readability-identifier-naming): the macro makes functions with names of its own
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgeingReport, spec, text, host_bytes, programs, erases, last_written_bytes,
                                   last_programmed_bytes, failed)

namespace {

namespace fs = std::filesystem;

/// Keys that do not affect ageing. Ageing runs the firmware and the NAND arrays on hardware without core,
/// link, hash unit and flash controller; of DRAM, only the size matters (Ssd::run_untimed). Of `sata` and
/// `nvme`, the firmware and the verifier use a few keys, and which of the two interfaces it is.
bool irrelevant(std::string_view key, bool times_matter) {
    constexpr std::array<std::string_view, 6> kSeen{"/dram/size",          "/sata/deterministic_after_trim",
                                                    "/sata/write_cache",   "/sata/zeros_after_trim",
                                                    "/nvme/command_slots", "/nvme/write_cache"};
    constexpr std::array<std::string_view, 11> kAbsent{
        "/core/", "/dram/", "/energy/", "/firmware/cycles/", "/hash/",    "/host/",
        "/nvme/", "/pcie/", "/sata/",   "/nand/controller/", "/run_ahead"};
    constexpr std::array<std::string_view, 6> kTimes{"/nand/bus/",          "/nand/timing/",
                                                     "/nand/ecc/encode_mb", "/nand/ecc/decode_mb",
                                                     "/nand/ecc/encode_l",  "/nand/ecc/decode_l"};
    return !begins_with_any(key, kSeen) &&
           (begins_with_any(key, kAbsent) || (!times_matter && begins_with_any(key, kTimes)));
}

/// A key for the cached drive, from the program, the configuration and the preconditioning.
std::string key_of(const platform::Configuration& configuration, const Preconditioning& preconditioning) {
    Sha256 sum;
    std::ifstream program("/proc/self/exe", std::ios::binary);
    std::array<char, 1U << 16U> buffer{};
    while (program.read(buffer.data(), buffer.size()), program.gcount() > 0) {
        sum.add({buffer.data(), static_cast<std::size_t>(program.gcount())});
    }
    const auto keys = platform::to_json(configuration).flatten();
    const bool times_matter = !configuration.firmware.map_cache.whole_map();  // policies weigh flash times
    for (const auto& [key, value] : keys.items()) {
        if (!irrelevant(key, times_matter)) {
            sum.add(key + "=" + value.dump() + "\n");
        }
    }
    sum.add(configuration.has_nvme() ? "nvme\n" : "sata\n");
    sum.add(to_text(preconditioning));
    std::string text;
    for (const char byte : sum.digest()) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

/// A drive from the folder; nothing if it is missing or damaged.
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

/// A cached drive: two files with the same stem.
struct Kept {
    fs::path drive;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
};

fs::path report_of(fs::path drive) {
    return drive.replace_extension(".json");
}

/// Other processes may remove drives at any time, so a file that cannot be found counts as absent.
std::vector<Kept> kept_in(const fs::path& folder) {
    std::vector<Kept> kept;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::error_code drive_gone;
        std::error_code report_gone;
        if (entry.path().extension() == ".drive") {
            const auto used = entry.last_write_time(drive_gone);
            const std::uint64_t bytes = entry.file_size(drive_gone);
            const std::uint64_t report_bytes = fs::file_size(report_of(entry.path()), report_gone);
            if (!drive_gone) {
                kept.push_back({entry.path(), used, bytes + (report_gone ? 0 : report_bytes)});
            }
        }
    }
    return kept;
}

/// Removes the least recently used drives until the rest take at most `limit` bytes.
void make_room(const fs::path& folder, std::uint64_t limit) {
    std::vector<Kept> kept = kept_in(folder);
    std::ranges::sort(kept, std::greater{}, &Kept::used);
    std::uint64_t total = 0;
    for (const Kept& each : kept) {
        total += each.bytes;
        if (total > limit) {
            std::error_code ignored;
            fs::remove(each.drive, ignored);
            fs::remove(report_of(each.drive), ignored);
        }
    }
}

}  // namespace

AgeingReport age_once(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                      ProgressMode progress) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string key = key_of(ssd.configuration(), preconditioning);
    const fs::path drive = preconditioning.cache / (key + ".drive");
    const fs::path report = report_of(drive);
    std::optional<AgeingReport> ageing = take(drive, report, ssd, verifier);
    if (ageing) {
        std::error_code read_only;  // a read-only folder also serves
        fs::last_write_time(drive, fs::file_time_type::clock::now(), read_only);
    } else {
        prepare_output_folder(preconditioning.cache);
        ageing = age(ssd, preconditioning, verifier, progress);
        if (ssd.firmware().may_be_saved()) {
            write_file_atomically(report, nlohmann::json(*ageing).dump() + "\n");
            save_drive(drive, ssd, verifier);
            make_room(preconditioning.cache, preconditioning.cache_bytes);
        }
    }
    ageing->wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return *ageing;
}

}  // namespace solidtlm::testbench
