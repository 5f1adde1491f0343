// SPDX-License-Identifier: Apache-2.0
//
// PC: documents are opened, looked at, and read or written forward from their beginning.
//
// Every document is in a translation page of its own; documents are scattered over the whole range and may
// begin at any sector (the partition does not begin at a multiple of 4 KiB). A visit goes to the next new
// document when one is due (they are spread evenly over the workload). Otherwise it goes to an earlier
// document, the d-th last used with a probability proportional to d^-theta. With probability `head`, the
// visit begins with a request for the first 1 KiB (a record of the file system); a forward run from the
// document's first sector follows.
#include <algorithm>
#include <cmath>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"
#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kHeadSectors = 2;

class PcModel final : public StudyModel {
  public:
    PcModel(const WorkloadConfig& config, Random& random)
        : config_(config), sizes_(config.sizes), documents_(place_documents(config, random)) {}

    void draw(Request& request, Random& random) override {
        request.sectors = sizes_(random);
        if (position_ + request.sectors > config_.end_sector) {
            left_in_visit_ = false;
        }
        if (!left_in_visit_) {
            begin_visit(random);
            if (random.chance(config_.study.head)) {
                request.sectors = kHeadSectors;
                set(request, position_);
                return;
            }
        }
        set(request, position_);
        position_ += request.sectors;
        left_in_visit_ = goes_on(config_.study.run, random);
    }

  private:
    /// First sectors, in the order of the documents' first visits.
    ///
    /// The longest run from a document's beginning may reach into the next translation page. Of v visits with
    /// geometric lengths, the longest has about run * (1 + 1/2 + ... + 1/v) requests on average. As documents
    /// may begin anywhere, that length divided by the length of a translation page is the share of a second
    /// translation page that a document uses.
    static std::vector<std::uint64_t> place_documents(const WorkloadConfig& config, Random& random) {
        const StudyConfig& study = config.study;
        const std::uint64_t places = config.end_sector / kSectorsPerTranslationPage;
        const double wanted = static_cast<double>(study.unique_bytes) /
                              static_cast<double>(kSectorsPerTranslationPage * hal::kSectorBytes);
        const double visits = static_cast<double>(study.requests) / (study.run + study.head) / wanted;
        double harmonic = 1;
        for (double v = 2; v <= visits; ++v) {
            harmonic += 1 / v;
        }
        const double beyond = mean_sectors(config.sizes) * study.run * harmonic /
                              static_cast<double>(kSectorsPerTranslationPage);
        const auto number = static_cast<std::uint64_t>(std::llround(wanted / (1 + beyond)));
        std::vector<std::uint64_t> starts =
            spread_places(std::clamp<std::uint64_t>(number, 2, places), places, random);
        const std::uint64_t longest = largest_sectors(config.sizes);
        for (std::uint64_t& start : starts) {
            const std::uint64_t sector =
                start * kSectorsPerTranslationPage + random.below(kSectorsPerTranslationPage);
            start = std::min(sector, config.end_sector - longest);
        }
        shuffle(starts, random);
        return starts;
    }

    void begin_visit(Random& random) {
        const auto due = static_cast<double>(documents_.size()) * static_cast<double>(given_) /
                         static_cast<double>(config_.study.requests);
        if (recent_.size() < documents_.size() && static_cast<double>(recent_.size()) <= due) {
            recent_.push_back(documents_[recent_.size()]);
        } else {
            // The last used document is at the back.
            const std::uint64_t depth = Zipf(recent_.size(), config_.theta)(random);
            const auto chosen = recent_.end() - static_cast<std::ptrdiff_t>(depth);
            std::rotate(chosen, chosen + 1, recent_.end());
        }
        position_ = recent_.back();
        operation_ = draw_operation(config_.read_share, random);
        left_in_visit_ = true;
    }

    void set(Request& request, std::uint64_t sector) {
        request.operation = operation_;
        request.lba = Lba{sector};
        ++given_;
    }

    WorkloadConfig config_;
    SizePicker sizes_;
    std::vector<std::uint64_t> documents_;
    std::vector<std::uint64_t> recent_;  ///< visited documents, the last at the back
    std::uint64_t given_ = 0;
    std::uint64_t position_ = 0;
    bool left_in_visit_ = false;
    Operation operation_ = Operation::read;
};

WorkloadConfig pc_defaults() {
    WorkloadConfig config = with({780, 778.2, 11.7, 253'773});
    config.read_share = 0.678;
    config.sizes = {kib(4, 0.42), kib(8, 0.10), kib(16, 0.12), kib(32, 0.12), kib(64, 0.24)};
    config.study.run = 3.5;
    config.study.head = 0.5;
    config.theta = 1.0;
    return config;
}

}  // namespace

extern const Pattern kPcPattern{{"pc", "documents opened, looked at and read or written forward (study B)"},
                                {.model = make_model<PcModel>,
                                 .defaults = pc_defaults,
                                 .published_addresses = true,
                                 .keys = {"theta", "run", "head"}}};

}  // namespace solidtlm::testbench
