// SPDX-License-Identifier: Apache-2.0
//
// Financial: records of a transaction system. Some are used again and again, and neighbours are unrelated.
//
// The records are scattered over the whole range, and each may begin at any sector. The k-th most popular
// record is used with a probability proportional to k^-theta; popularity does not depend on the place. The
// length is drawn for each request.
#include <algorithm>

#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"
#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

class FinancialModel final : public StudyModel {
  public:
    FinancialModel(const WorkloadConfig& config, Random& random)
        : read_share_(config.read_share),
          sizes_(config.sizes),
          records_(place_records(config, random)),
          popularity_(records_.size(), config.theta) {}

    void draw(Request& request, Random& random) override {
        request.operation = draw_operation(read_share_, random);
        request.sectors = sizes_(random);
        request.lba = Lba{records_[popularity_(random) - 1]};
    }

  private:
    /// First sectors, most popular record first. Each record is eventually used with the greatest length;
    /// beginning at any sector, it then covers (longest + 7) / 8 pages on average.
    static std::vector<std::uint64_t> place_records(const WorkloadConfig& config, Random& random) {
        const std::uint64_t longest = largest_sectors(config.sizes);
        const std::uint64_t pages_and_a_bit = longest + kSectorsPerPage - 1;
        const std::uint64_t room = (longest / kSectorsPerPage + 2) * kSectorsPerPage;
        const std::uint64_t places = config.end_sector / room;
        const std::uint64_t wanted = config.study.unique_bytes / hal::kSectorBytes / pages_and_a_bit;
        std::vector<std::uint64_t> starts =
            spread_places(std::clamp<std::uint64_t>(wanted, 2, places), places, random);
        for (std::uint64_t& start : starts) {
            start = start * room + random.below(kSectorsPerPage);
        }
        shuffle(starts, random);
        return starts;
    }

    double read_share_;
    SizePicker sizes_;
    std::vector<std::uint64_t> records_;
    Zipf popularity_;
};

WorkloadConfig financial_defaults() {
    WorkloadConfig config = with({16, 3.7, 0.5, 5'334'946});
    config.read_share = 0;
    config.sizes = {{1, 0.15}, kib(1, 0.13), kib(2, 0.23), kib(4, 0.36), kib(8, 0.13)};
    config.theta = 0.9;
    return config;
}

}  // namespace

extern const Pattern kFinancialPattern{{"financial", "records of a transaction system (study B)"},
                                       {.model = make_model<FinancialModel>,
                                        .defaults = financial_defaults,
                                        .published_addresses = true,
                                        .keys = {"theta"}}};

}  // namespace solidtlm::testbench
