// SPDX-License-Identifier: Apache-2.0
//
// What a workload does with the device: one pattern per file. The plain ones say where requests go; those of
// the studies draw operation, address and length together (study_models.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fw/hal/named.h"
#include "testbench/workload/random.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {

/// Chooses where a request of a given size starts.
class AddressPicker {
  public:
    virtual ~AddressPicker() = default;
    /// First sector, relative to the range.
    virtual std::uint64_t pick(std::uint64_t sectors, Random& random) = 0;
};

class StudyModel {
  public:
    virtual ~StudyModel() = default;
    /// Sets operation, address and length, and contents if the model has its own.
    virtual void draw(Request& request, Random& random) = 0;
};

struct PatternTraits {
    /// Of a plain pattern.
    std::unique_ptr<AddressPicker> (*picker)(const WorkloadConfig& config) = nullptr;
    /// Of a study's pattern. Places are drawn from `random` at once.
    std::unique_ptr<StudyModel> (*model)(const WorkloadConfig& config, Random& random) = nullptr;
    /// The published size of a study's workload, where it is published, and its parameters.
    WorkloadConfig (*defaults)() = nullptr;
    bool published_addresses = false;  ///< the study says how large the drive was; others take a range
    bool own_contents = false;         ///< the model says what is written
    /// That it knows beyond those of all patterns and, if it is a plain one, of all plain ones.
    std::array<std::string_view, 8> keys = {};
    /// Parts of the range; each has room for requests, in a study 4 MiB at least. Null: 1.
    std::uint64_t (*parts)(const WorkloadConfig& config) = nullptr;
    /// What else needs room in the range and has none; may be empty.
    std::string (*lacks)(const WorkloadConfig& config) = nullptr;
};

/// A value of the key `pattern`.
struct Pattern : hal::Named {
    PatternTraits traits;
};

/// For PatternTraits::picker.
template <class Picker>
std::unique_ptr<AddressPicker> make_picker(const WorkloadConfig& config) {
    return std::make_unique<Picker>(config);
}

/// For PatternTraits::model.
template <class Model>
std::unique_ptr<StudyModel> make_model(const WorkloadConfig& config, Random& random) {
    if constexpr (std::is_constructible_v<Model, const WorkloadConfig&, Random&>) {
        return std::make_unique<Model>(config, random);
    } else {
        return std::make_unique<Model>(config);
    }
}

/// Those in testbench/workload/patterns.
[[nodiscard]] std::span<const Pattern* const> patterns();

}  // namespace solidtlm::testbench
