// SPDX-License-Identifier: Apache-2.0
//
// PC application (films, web, music): a share `small` of the requests is small and random, aligned to 4 KiB
// and anywhere on the drive; a share `reuse` of those repeats an earlier place. The other requests belong to
// `streams` films, songs and downloads in parallel. Each stream is read or written in order for `run`
// requests on average; then another stream begins somewhere else.
#include <algorithm>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {
namespace {

class PcApplicationModel final : public StudyModel {
  public:
    PcApplicationModel(const WorkloadConfig& config, Random& random)
        : config_(config), sizes_(config.sizes), small_sizes_(config.study.small_sizes) {
        for (std::uint64_t i = 0; i < config.streams; ++i) {
            streams_.push_back(new_stream(random));
        }
    }

    void draw(Request& request, Random& random) override {
        if (random.chance(config_.study.small)) {
            request.operation = draw_operation(config_.read_share, random);
            request.sectors = small_sizes_(random);
            request.lba = Lba{small_place(request.sectors, random)};
            return;
        }
        Stream& stream = streams_[random.below(streams_.size())];
        request.sectors = sizes_(random);
        if (stream.position + request.sectors > config_.end_sector) {
            stream = new_stream(random);
        }
        request.operation = stream.operation;
        request.lba = Lba{stream.position};
        stream.position += request.sectors;
        if (!goes_on(config_.study.run, random)) {
            stream = new_stream(random);
        }
    }

  private:
    struct Stream {
        std::uint64_t position = 0;
        Operation operation = Operation::read;
    };

    std::uint64_t anywhere(std::uint64_t sectors, Random& random) const {
        return random.below((config_.end_sector - sectors) / kSectorsPerPage + 1) * kSectorsPerPage;
    }

    Stream new_stream(Random& random) const {
        return {anywhere(largest_sectors(config_.sizes), random), draw_operation(config_.read_share, random)};
    }

    std::uint64_t small_place(std::uint64_t sectors, Random& random) {
        if (!used_.empty() && random.chance(config_.study.reuse)) {
            return std::min(used_[random.below(used_.size())], config_.end_sector - sectors);
        }
        used_.push_back(anywhere(sectors, random));
        return used_.back();
    }

    WorkloadConfig config_;
    SizePicker sizes_;
    SizePicker small_sizes_;
    std::vector<Stream> streams_;
    std::vector<std::uint64_t> used_;  ///< places of small requests
};

WorkloadConfig pc_application_defaults() {
    WorkloadConfig config = with({32, 32, 1.62, requests_of(1.62, 13.53)});
    config.read_share = 0.38;
    config.sizes = {kib(32, 1), kib(64, 1)};
    config.study.small = 0.83665;
    config.study.small_sizes = {kib(4, 0.60), kib(8, 0.25), kib(16, 0.15)};
    config.study.run = 32;
    config.study.reuse = 0.32;
    config.streams = 2;
    return config;
}

}  // namespace

extern const Pattern kPcApplicationPattern{
    {"pc_application", "films and music beside small requests anywhere (study A)"},
    {.model = make_model<PcApplicationModel>,
     .defaults = pc_application_defaults,
     .published_addresses = true,
     .keys = {"streams", "run", "small", "small_size", "reuse"}}};

}  // namespace solidtlm::testbench
