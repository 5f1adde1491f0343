// SPDX-License-Identifier: Apache-2.0
//
// WebVM: a virtual machine with two web servers. Small requests of whole 4 KiB blocks. A share `overwrite` of
// the writes repeats an earlier place, that of the d-th last write with a probability proportional to
// d^-theta. The others go to new places: `run` consecutive requests on average, then the next run begins
// somewhere else. Reads go to written places, drawn in the same way.
#include <algorithm>
#include <unordered_set>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"
#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

class WebvmModel final : public StudyModel {
  public:
    explicit WebvmModel(const WorkloadConfig& config) : config_(config), sizes_(config.sizes) {}

    void draw(Request& request, Random& random) override {
        request.operation = draw_operation(config_.read_share, random);
        request.sectors = sizes_(random);
        const bool write = request.operation == Operation::write;
        const bool again = !written_.empty() && (!write || random.chance(config_.study.overwrite));
        const std::uint64_t place = again ? old_place(random) : new_place(request.sectors, random);
        request.lba = Lba{std::min(place, config_.end_sector - request.sectors)};
        if (write) {
            written_.push_back(request.lba.value);
            for (std::uint64_t at = 0; at < request.sectors; at += kSectorsPerPage) {
                used_.insert(request.lba.value + at);
            }
        }
    }

  private:
    std::uint64_t old_place(Random& random) const {
        return written_[written_.size() - Zipf(written_.size(), config_.theta)(random)];
    }

    std::uint64_t new_place(std::uint64_t sectors, Random& random) {
        /// after this many attempts, the range is nearly full, and any place will do
        constexpr int kPlaces = 16;
        const std::uint64_t places =
            (config_.end_sector - config_.first_sector - sectors) / kSectorsPerPage + 1;
        for (int tries = 0; tries < kPlaces && (!in_run_ || !is_new(position_, sectors)); ++tries) {
            position_ = config_.first_sector + random.below(places) * kSectorsPerPage;
            in_run_ = true;
        }
        in_run_ = goes_on(config_.study.run, random);
        const std::uint64_t place = position_;
        position_ += sectors;
        return place;
    }

    /// Whether the place begins at a page that was never written, and lies within the range.
    [[nodiscard]] bool is_new(std::uint64_t place, std::uint64_t sectors) const {
        return place + sectors <= config_.end_sector && !used_.contains(place);
    }

    WorkloadConfig config_;
    SizePicker sizes_;
    std::vector<std::uint64_t> written_;      ///< first sectors of all writes, in order
    std::unordered_set<std::uint64_t> used_;  ///< first sectors of the written pages
    std::uint64_t position_ = 0;              ///< where the run of new places continues
    bool in_run_ = false;
};

/// Koller and Rangaswami 2010, table 1: 3.40 GB read, 11.46 GB written on 0.86 GB. Pauses of more than 10 ms,
/// the bursts between them and their lengths are those of the public slice of the related mail trace.
WorkloadConfig webvm_defaults() {
    WorkloadConfig config;
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

}  // namespace

extern const Pattern kWebvmPattern{
    {"webvm", "a virtual machine with two web servers (study C)"},
    {.model = make_model<WebvmModel>,
     .defaults = webvm_defaults,
     .keys = {"range", "duplicates", "recency", "duplicate_run", "collisions", "theta", "run", "overwrite"}}};

}  // namespace solidtlm::testbench
