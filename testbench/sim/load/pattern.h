// SPDX-License-Identifier: Apache-2.0
//
// The patterns of workloads, one file per pattern. Plain patterns decide where requests go; those of the
// studies draw operation, address and length together (study_models.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fw/hal/named.h"
#include "testbench/sim/load/random.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {

/// Chooses the start of a request of a given size.
class AddressPicker {
  public:
    virtual ~AddressPicker() = default;
    /// First sector, relative to the range.
    virtual std::uint64_t pick(std::uint64_t sectors, Random& random) = 0;
};

class StudyModel {
  public:
    virtual ~StudyModel() = default;
    /// Draws operation, address and length, and contents if the model has its own.
    virtual void draw(Request& request, Random& random) = 0;
};

struct PatternTraits {
    /// For a plain pattern.
    std::unique_ptr<AddressPicker> (*picker)(const WorkloadConfig& config) = nullptr;
    /// For a study's pattern. The constructor draws places from `random`.
    std::unique_ptr<StudyModel> (*model)(const WorkloadConfig& config, Random& random) = nullptr;
    /// The published size of a study's workload (if it is published), and its parameters. A plain pattern may
    /// have it for its own values of keys.
    WorkloadConfig (*defaults)() = nullptr;
    /// the study gives the size of the drive; other patterns use the range
    bool published_addresses = false;
    bool own_contents = false;  ///< the model decides what is written
    /// Keys of this pattern beyond those of all patterns and of all plain patterns.
    std::array<std::string_view, 8> keys = {};
    /// Number of parts of the range. Each must have room for requests; in a study, each has at least 4 MiB.
    /// Null: 1.
    std::uint64_t (*parts)(const WorkloadConfig& config) = nullptr;
    /// A text about anything else for which the range is too small; may be empty.
    std::string (*lacks)(const WorkloadConfig& config) = nullptr;
};

/// A pattern, as named by the key `pattern`.
struct Pattern : hal::Named {
    PatternTraits traits;
};

/// A function for PatternTraits::picker.
template <class Picker>
std::unique_ptr<AddressPicker> make_picker(const WorkloadConfig& config) {
    return std::make_unique<Picker>(config);
}

/// A function for PatternTraits::model.
template <class Model>
std::unique_ptr<StudyModel> make_model(const WorkloadConfig& config, Random& random) {
    if constexpr (std::is_constructible_v<Model, const WorkloadConfig&, Random&>) {
        return std::make_unique<Model>(config, random);
    } else {
        return std::make_unique<Model>(config);
    }
}

/// The patterns in testbench/sim/load/patterns.
[[nodiscard]] std::span<const Pattern* const> patterns();

}  // namespace solidtlm::testbench
