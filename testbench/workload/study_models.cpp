// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/study_models.h"

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t gib(double value) {
    return static_cast<std::uint64_t>(value * hal::kGiB);
}

SizeShare kib(std::uint64_t size, double weight) {
    return {size * hal::kKiB / hal::kSectorBytes, weight};
}

/// What the studies publish: lengths in GiB.
struct Published {
    double address;  ///< of the drive
    double actual;   ///< from the lowest to the highest address used
    double unique;
    std::uint64_t requests;
};

WorkloadConfig with(Pattern pattern, const Published& published) {
    WorkloadConfig config;
    config.pattern = pattern;
    config.study.address_bytes = gib(published.address);
    config.study.unique_bytes = gib(published.unique);
    config.study.requests = published.requests;
    config.end_sector =
        gib(published.actual) / hal::kSectorBytes / kSectorsPerTranslationPage * kSectorsPerTranslationPage;
    return config;
}

WorkloadConfig pc_defaults() {
    WorkloadConfig config = with(Pattern::pc, {780, 778.2, 11.7, 253'773});
    config.read_share = 0.678;
    config.sizes = {kib(4, 0.42), kib(8, 0.10), kib(16, 0.12), kib(32, 0.12), kib(64, 0.24)};
    config.study.run = 3.5;
    config.study.head = 0.5;
    config.theta = 1.0;
    return config;
}

WorkloadConfig tpcc_defaults(Pattern pattern) {
    const bool a = pattern == Pattern::tpcc_a;
    WorkloadConfig config = with(pattern, {60, 32.0, 2.6, a ? 271'707U : 292'948U});
    config.read_share = a ? 0.079 : 0.12;
    config.sizes =
        a ? std::vector{kib(8, 0.26), kib(16, 0.185), kib(32, 0.155), kib(64, 0.223), kib(128, 0.177)}
          : std::vector{kib(8, 0.36), kib(16, 0.20), kib(32, 0.15), kib(64, 0.165), kib(128, 0.125)};
    config.streams = 4;
    config.study.density = 0.3;
    return config;
}

WorkloadConfig financial_defaults() {
    WorkloadConfig config = with(Pattern::financial, {16, 3.7, 0.5, 5'334'946});
    config.read_share = 0;
    config.sizes = {{1, 0.15}, kib(1, 0.13), kib(2, 0.23), kib(4, 0.36), kib(8, 0.13)};
    config.theta = 0.9;
    return config;
}

/// Requests of a total that the study gives as GiB and a mean in KiB.
constexpr std::uint64_t requests_of(double total_gib, double mean_kib) {
    return static_cast<std::uint64_t>(total_gib * 1024 * 1024 / mean_kib);
}

WorkloadConfig iozone_defaults() {
    constexpr double kPasses = 2;
    WorkloadConfig config = with(Pattern::iozone, {32, 32, 3.42 / kPasses, requests_of(3.42, 58.68)});
    config.read_share = 0;
    config.sizes = {kib(64, 1)};
    config.study.small = 0.0907;
    config.study.small_sizes = {kib(4, 2), kib(8, 1)};
    config.study.file_sectors = gib(0.125) / hal::kSectorBytes;
    config.study.passes = static_cast<std::uint64_t>(kPasses);
    return config;
}

WorkloadConfig pc_application_defaults() {
    WorkloadConfig config = with(Pattern::pc_application, {32, 32, 1.62, requests_of(1.62, 13.53)});
    config.read_share = 0.38;
    config.sizes = {kib(32, 1), kib(64, 1)};
    config.study.small = 0.83665;
    config.study.small_sizes = {kib(4, 0.60), kib(8, 0.25), kib(16, 0.15)};
    config.study.run = 32;
    config.study.reuse = 0.32;
    config.streams = 2;
    return config;
}

/// Koller and Rangaswami 2010, table 1: 3.40 GB read, 11.46 GB written on 0.86 GB. Pauses of more than 10 ms,
/// bursts between them and their length are those of the public slice of the kindred mail trace.
WorkloadConfig webvm_defaults() {
    WorkloadConfig config;
    config.pattern = Pattern::webvm;
    config.read_share = 0.229;
    config.theta = 0;
    config.study.run = 8;
    config.study.overwrite = 0.925;
    config.arrivals = Arrivals::exponential;
    config.rate = 3000;
    config.burst = 40;
    config.idle = std::chrono::milliseconds(80);
    config.contents.duplicates = 0.3;
    config.contents.recency = 0.8;
    config.contents.run = 1.8;
    return config;
}

/// Bursts, the rate in them and pauses are those of the recorded package installation; what it waits for more
/// than a second left out.
WorkloadConfig app_install_defaults() {
    WorkloadConfig config;
    config.pattern = Pattern::app_install;
    config.read_share = 0.2;
    config.sizes = {kib(4, 0.45), kib(16, 0.25), kib(64, 0.20), kib(256, 0.08), kib(1024, 0.02)};
    config.streams = 4;
    config.arrivals = Arrivals::exponential;
    config.rate = 2000;
    config.burst = 52;
    config.idle = std::chrono::milliseconds(31);
    config.contents.duplicates = 0.35;
    return config;
}

}  // namespace

WorkloadConfig study_defaults(Pattern pattern) {
    SOLIDTLM_CHECK(is_study(pattern), "a pattern that has a model");
    switch (pattern) {
        case Pattern::pc:
            return pc_defaults();
        case Pattern::financial:
            return financial_defaults();
        case Pattern::iozone:
            return iozone_defaults();
        case Pattern::pc_application:
            return pc_application_defaults();
        case Pattern::webvm:
            return webvm_defaults();
        case Pattern::app_install:
            return app_install_defaults();
        default:
            return tpcc_defaults(pattern);
    }
}

void scale_study(WorkloadConfig& config, double scale) {
    SOLIDTLM_CHECK(config.study.scale == 1.0 && scale > 0.0 && scale <= 1.0,
                   "full size is made smaller, once");
    const auto scaled = [scale](std::uint64_t value) {
        return static_cast<std::uint64_t>(static_cast<double>(value) * scale);
    };
    StudyConfig& study = config.study;
    study.scale = scale;
    study.address_bytes = scaled(study.address_bytes);
    study.unique_bytes = scaled(study.unique_bytes);
    study.requests = std::max<std::uint64_t>(1, scaled(study.requests));
    config.end_sector = scaled(config.end_sector) / kSectorsPerTranslationPage * kSectorsPerTranslationPage;
    if (study.file_sectors > 0) {
        const std::uint64_t pages = scaled(study.file_sectors) / kSectorsPerPage;
        study.file_sectors = std::max<std::uint64_t>(1, pages) * kSectorsPerPage;
    }
}

std::unique_ptr<StudyModel> make_study_model(const WorkloadConfig& config, Random& random) {
    switch (config.pattern) {
        case Pattern::pc:
            return make_pc_model(config, random);
        case Pattern::tpcc_a:
        case Pattern::tpcc_b:
            return make_tpcc_model(config, random);
        case Pattern::financial:
            return make_financial_model(config, random);
        case Pattern::iozone:
            return make_iozone_model(config);
        case Pattern::pc_application:
            return make_pc_application_model(config, random);
        case Pattern::webvm:
            return make_webvm_model(config);
        case Pattern::app_install:
            return make_app_install_model(config);
        default:
            return nullptr;
    }
}

std::vector<std::uint64_t> spread_places(std::uint64_t parts, std::uint64_t limit, Random& random) {
    SOLIDTLM_CHECK(parts >= 1 && parts <= limit, "as many places as parts");
    std::vector<std::uint64_t> places(parts);
    for (std::uint64_t i = 0; i < parts; ++i) {
        const std::uint64_t begin = i * limit / parts;
        const std::uint64_t end = (i + 1) * limit / parts;
        places[i] = begin + random.below(end - begin);
    }
    places.back() = limit - 1;
    places.front() = 0;
    return places;
}

}  // namespace solidtlm::testbench
