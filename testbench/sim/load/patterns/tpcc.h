// SPDX-License-Identifier: Apache-2.0
//
// TPC-C: a loaded database whose changed pages are written back in sweeps of ascending addresses.
//
// The tables are in allocation units of 4 MiB, aligned to 4 MiB and scattered over the range. They are
// divided among `streams` writers; each writer sweeps its units endlessly. In a unit it writes the first page
// (the unit's space map, which every change in the unit modifies) and then the changed blocks in ascending
// order: runs of the drawn sizes with gaps between them, so that a share `density` of the unit is written. A
// read goes to any block of a unit that has been swept.
#pragma once

#include <algorithm>
#include <cmath>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {

class TpccModel final : public StudyModel {
  public:
    TpccModel(const WorkloadConfig& config, Random& random)
        : config_(config), sizes_(config.sizes), writers_(config.streams) {
        const std::uint64_t places = config.end_sector / kSectorsPerTranslationPage;
        const std::uint64_t wanted =
            config.study.unique_bytes / (kSectorsPerTranslationPage * hal::kSectorBytes);
        units_ =
            spread_places(std::clamp(wanted, std::min(2 * config.streams, places), places), places, random);
        mean_gap_ = mean_sectors(config.sizes) / kBlockSectors * (1 / config.study.density - 1);
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            writers_[i].first = i * units_.size() / writers_.size();
            writers_[i].count = (i + 1) * units_.size() / writers_.size() - writers_[i].first;
            writers_[i].offset = kSectorsPerTranslationPage;
        }
    }

    void draw(Request& request, Random& random) override {
        Writer& writer = writers_[random.below(writers_.size())];
        request.operation = draw_operation(config_.read_share, random);
        request.sectors = sizes_(random);
        if (request.operation == Operation::read && writer.swept > 0) {
            request.lba = place_of_read(writer, request.sectors, random);
            return;
        }
        if (writer.waiting > 0) {
            request.sectors = writer.waiting;
            writer.waiting = 0;
        }
        if (writer.offset + request.sectors > kSectorsPerTranslationPage) {
            // A run that does not fit comes first in the next unit: dropping it would favour short runs.
            writer.waiting = request.sectors;
            enter_next_unit(writer);
            request.sectors = kSectorsPerPage;
            request.lba = place(writer, writer.unit, 0);
            writer.offset = (1 + gap(random)) * kBlockSectors;
            return;
        }
        request.lba = place(writer, writer.unit, writer.offset);
        writer.offset += request.sectors + gap(random) * kBlockSectors;
    }

  private:
    static constexpr std::uint64_t kBlockSectors = 16;  ///< a database block of 8 KiB

    struct Writer {
        std::uint64_t first = 0;  ///< its first unit
        std::uint64_t count = 0;
        std::uint64_t unit = 0;     ///< its present unit
        std::uint64_t offset = 0;   ///< next sector in the unit
        std::uint64_t swept = 0;    ///< number of units entered so far
        std::uint64_t waiting = 0;  ///< sectors of the run that did not fit into the previous unit; 0: none
    };

    static void enter_next_unit(Writer& writer) {
        writer.unit = writer.swept == 0 || writer.unit + 1 == writer.count ? 0 : writer.unit + 1;
        writer.swept = std::max(writer.swept, writer.unit + 1);
    }

    [[nodiscard]] Lba place(const Writer& writer, std::uint64_t unit, std::uint64_t offset) const {
        return Lba{units_[writer.first + unit] * kSectorsPerTranslationPage + offset};
    }

    /// Number of blocks left out: geometric, from 0 on.
    std::uint64_t gap(Random& random) const {
        if (mean_gap_ <= 0) {
            return 0;
        }
        return static_cast<std::uint64_t>(std::log1p(-random.real()) / std::log(mean_gap_ / (1 + mean_gap_)));
    }

    Lba place_of_read(const Writer& writer, std::uint64_t sectors, Random& random) const {
        const std::uint64_t unit = random.below(writer.swept);
        const std::uint64_t block = random.below((kSectorsPerTranslationPage - sectors) / kBlockSectors + 1);
        return place(writer, unit, block * kBlockSectors);
    }

    WorkloadConfig config_;
    SizePicker sizes_;
    std::vector<Writer> writers_;
    std::vector<std::uint64_t> units_;  ///< unit numbers (units of 4 MiB), ascending
    double mean_gap_ = 0;
};

/// The defaults of both patterns.
inline WorkloadConfig tpcc_defaults(std::uint64_t requests) {
    WorkloadConfig config = with({60, 32.0, 2.6, requests});
    config.streams = 4;
    config.study.density = 0.3;
    return config;
}

inline constexpr PatternTraits tpcc_traits(WorkloadConfig (*defaults)()) {
    return {.model = make_model<TpccModel>,
            .defaults = defaults,
            .published_addresses = true,
            .keys = {"streams", "density"},
            .parts = [](const WorkloadConfig& config) { return config.streams; }};
}

}  // namespace solidtlm::testbench
