// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/study_models.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::testbench {

WorkloadConfig with(const Published& published) {
    WorkloadConfig config;
    config.study.address_bytes = gib(published.address);
    config.study.unique_bytes = gib(published.unique);
    config.study.requests = published.requests;
    config.end_sector =
        gib(published.actual) / hal::kSectorBytes / kSectorsPerTranslationPage * kSectorsPerTranslationPage;
    return config;
}

void scale_study(WorkloadConfig& config, double scale) {
    const auto scaled = [scale](std::uint64_t value) {
        return static_cast<std::uint64_t>(static_cast<double>(value) * scale);
    };
    StudyConfig& study = config.study;
    SOLIDTLM_CHECK(study.scale == 1.0 && scale > 0.0 && scale <= 1.0,
                   "the configuration has full size, and 0 < scale <= 1");
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

std::vector<std::uint64_t> spread_places(std::uint64_t parts, std::uint64_t limit, Random& random) {
    SOLIDTLM_CHECK(parts >= 1 && parts <= limit, "there are at least as many places as parts");
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
