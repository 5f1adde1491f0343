// SPDX-License-Identifier: Apache-2.0
//
// IOzone: files one after another, each written from beginning to end `passes` times (write, then rewrite).
// Between these requests, a share `small` goes to the file system's journal, a ring at the beginning of the
// range that is written in order.
#include <algorithm>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kJournalShare = 1024;  ///< divisor of the range: 32 MiB of 32 GiB

class IozoneModel final : public StudyModel {
  public:
    explicit IozoneModel(const WorkloadConfig& config)
        : config_(config), sizes_(config.sizes), small_sizes_(config.study.small_sizes) {
        const std::uint64_t least = 2 * largest_sectors(config.study.small_sizes);
        journal_ = std::max(config.end_sector / kJournalShare, least) / kSectorsPerPage * kSectorsPerPage;
        file_sectors_ = std::min(config.study.file_sectors, config.end_sector - journal_);
        files_ = (config.end_sector - journal_) / file_sectors_;
    }

    void draw(Request& request, Random& random) override {
        request.operation = draw_operation(config_.read_share, random);
        if (random.chance(config_.study.small)) {
            request.sectors = small_sizes_(random);
            if (journal_position_ + request.sectors > journal_) {
                journal_position_ = 0;
            }
            request.lba = Lba{journal_position_};
            journal_position_ += request.sectors;
            return;
        }
        request.sectors = std::min(sizes_(random), file_sectors_ - position_);
        request.lba = Lba{journal_ + file_ * file_sectors_ + position_};
        position_ += request.sectors;
        if (position_ == file_sectors_) {
            position_ = 0;
            pass_ = pass_ + 1 == config_.study.passes ? 0 : pass_ + 1;
            file_ = pass_ != 0 ? file_ : (file_ + 1) % files_;
        }
    }

  private:
    WorkloadConfig config_;
    SizePicker sizes_;
    SizePicker small_sizes_;
    std::uint64_t journal_ = 0;  ///< sectors of the journal
    std::uint64_t journal_position_ = 0;
    std::uint64_t file_sectors_ = 0;
    std::uint64_t files_ = 0;  ///< files that fit into the range
    std::uint64_t file_ = 0;
    std::uint64_t pass_ = 0;
    std::uint64_t position_ = 0;  ///< position in the file
};

WorkloadConfig iozone_defaults() {
    constexpr double kPasses = 2;
    WorkloadConfig config = with({32, 32, 3.42 / kPasses, requests_of(3.42, 58.68)});
    config.read_share = 0;
    config.sizes = {kib(64, 1)};
    config.study.small = 0.0907;
    config.study.small_sizes = {kib(4, 2), kib(8, 1)};
    config.study.file_sectors = gib(0.125) / hal::kSectorBytes;
    config.study.passes = static_cast<std::uint64_t>(kPasses);
    return config;
}

}  // namespace

extern const Pattern kIozonePattern{{"iozone", "files written in order, twice, beside a journal (study A)"},
                                    {.model = make_model<IozoneModel>,
                                     .defaults = iozone_defaults,
                                     .published_addresses = true,
                                     .keys = {"small", "small_size", "file", "passes"}}};

}  // namespace solidtlm::testbench
