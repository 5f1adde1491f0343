// SPDX-License-Identifier: Apache-2.0
//
// PC application (films, web, music): a share `small` of the requests is small and random, aligned to 4 KiB
// and anywhere on the drive, a share `reuse` of them where an earlier one was. The others belong to `streams`
// films, songs and downloads that go on side by side; each is read or written in order for `run` requests on
// average and then followed by another one somewhere else.
#include <algorithm>

#include "testbench/workload/size_picker.h"
#include "testbench/workload/study_models.h"

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

}  // namespace

std::unique_ptr<StudyModel> make_pc_application_model(const WorkloadConfig& config, Random& random) {
    return std::make_unique<PcApplicationModel>(config, random);
}

}  // namespace solidtlm::testbench
