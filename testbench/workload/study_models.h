// SPDX-License-Identifier: Apache-2.0
//
// The workloads of studies A, B and C as statistical models: one file each, described with their parameters
// in docs/workloads.md. Sources: Lee et al. 2013, table 2 and figure 2 (study B); Ha et al. 2011, table 1 and
// figure 5 (study A); Park and Shin 2014 (study C).
//
// A translation page covers 1,024 pages of 4 KiB: 4 MiB of logical addresses. "Page" is a page of 4 KiB.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/workload/random.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {

constexpr std::uint64_t kSectorsPerPage = 8;
constexpr std::uint64_t kSectorsPerTranslationPage = 1024 * kSectorsPerPage;
/// What app_install places as a whole: 512 KiB.
constexpr std::uint64_t kAppInstallExtentSectors = 128 * kSectorsPerPage;

class StudyModel {
  public:
    virtual ~StudyModel() = default;
    /// Sets operation, address and length, and contents if the model has its own.
    virtual void draw(Request& request, Random& random) = 0;
};

/// The model of the configuration's pattern; nothing for a pattern that has no model. Places are drawn from
/// `random` at once.
[[nodiscard]] std::unique_ptr<StudyModel> make_study_model(const WorkloadConfig& config, Random& random);

[[nodiscard]] std::unique_ptr<StudyModel> make_pc_model(const WorkloadConfig& config, Random& random);
[[nodiscard]] std::unique_ptr<StudyModel> make_tpcc_model(const WorkloadConfig& config, Random& random);
[[nodiscard]] std::unique_ptr<StudyModel> make_financial_model(const WorkloadConfig& config, Random& random);
[[nodiscard]] std::unique_ptr<StudyModel> make_iozone_model(const WorkloadConfig& config);
[[nodiscard]] std::unique_ptr<StudyModel> make_pc_application_model(const WorkloadConfig& config,
                                                                    Random& random);
[[nodiscard]] std::unique_ptr<StudyModel> make_webvm_model(const WorkloadConfig& config);
[[nodiscard]] std::unique_ptr<StudyModel> make_app_install_model(const WorkloadConfig& config);

/// The published size of a study's workload, where it is published, and the defaults of its parameters.
/// REQUIRES: a pattern that has a model.
[[nodiscard]] WorkloadConfig study_defaults(Pattern pattern);
/// Shrinks addresses, unique data and requests. REQUIRES: full size; 0 < scale <= 1.
void scale_study(WorkloadConfig& config, double scale);

[[nodiscard]] constexpr bool is_study(Pattern pattern) {
    return pattern >= Pattern::pc;
}

/// A study that says how large the drive was; the others take a range of any drive.
[[nodiscard]] constexpr bool has_published_addresses(Pattern pattern) {
    return is_study(pattern) && pattern < Pattern::webvm;
}

/// `parts` numbers below `limit`, ascending and different: one anywhere in each of `parts` equal strata, but
/// the first at 0 and the last at the end. REQUIRES: 1 <= parts <= limit.
[[nodiscard]] std::vector<std::uint64_t> spread_places(std::uint64_t parts, std::uint64_t limit,
                                                       Random& random);

/// Fisher-Yates.
template <class Value>
void shuffle(std::vector<Value>& values, Random& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.below(i)]);
    }
}

/// A number of requests with the given mean, at least 1, geometrically distributed: true while it goes on.
[[nodiscard]] inline bool goes_on(double mean, Random& random) {
    return random.chance(1 - 1 / mean);
}

[[nodiscard]] inline Operation draw_operation(double read_share, Random& random) {
    return random.chance(read_share) ? Operation::read : Operation::write;
}

}  // namespace solidtlm::testbench
