// SPDX-License-Identifier: Apache-2.0
//
// Reads the keys that the structs of a configuration declare (fw/hal/key.h) into a table, and brings the
// words in which they say what is allowed.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fw/drive/config.h"
#include "fw/hal/key.h"
#include "hw/nand/config.h"
#include "hw/nand/fault_config.h"
#include "platform/keys.h"

namespace solidtlm::platform {

/// What a key allows, in words that declarations use.
struct KeyWords {
    static constexpr std::uint64_t kMostInteger = std::numeric_limits<std::int64_t>::max();  // of TOML

    static auto boolean() { return kinds::boolean(); }
    static auto integer(std::uint64_t low, std::uint64_t high, std::string_view unit = {}) {
        return kinds::integer(low, high, unit);
    }
    static auto number(double low, double high, std::string_view unit = {}) {
        return kinds::number(low, high, unit);
    }
    static auto size(std::uint64_t low, std::uint64_t high) { return kinds::size(low, high); }
    static auto duration(hal::Ps low, hal::Ps high) { return kinds::duration(low, high); }
    static auto durations(hal::Ps low, hal::Ps high, std::size_t most) {
        return kinds::durations(low, high, most);
    }
    static auto age(std::uint64_t low_seconds, std::uint64_t high_seconds) {
        return kinds::age(low_seconds, high_seconds);
    }
    static auto printable(std::size_t low, std::size_t high) { return kinds::printable(low, high); }
    template <class Enumerator = std::uint64_t>
    static auto enumerator(const Names& names, Enumerator first = {}) {
        return kinds::enumerator(names, static_cast<std::uint64_t>(first));
    }
    template <class Value, class Predicate>
    static auto where(Kind<Value> kind, Predicate holds, std::string_view says) {
        return kinds::where(std::move(kind), holds, says);
    }

    // One of a registry, by its name (fw/hal/named.h).
    static Kind<std::string> bus_arbitration();
    static Kind<std::string> dram_arbitration();
    static Kind<std::string> gc_policy();
    static Kind<std::string> map_cache_policy();
    static Kind<fw::TranslationPlan> translation_layer();
    static Kind<fw::DedupPlan> dedup_system();
    static Kind<hw::FaultScript> fault_script();
    static Kind<hw::DieBlocks> die_blocks();
};

/// Adds the keys of a struct to `all`, a table for `Target`: `place` finds the struct in a target, and
/// `prefix` comes before the names.
template <class Target, class Place>
class KeyReader : public KeyWords {
  public:
    KeyReader(std::string prefix, Place place, std::vector<Key<Target>>& all)
        : prefix_(std::move(prefix)), place_(std::move(place)), all_(all) {}

    /// `field`: pointer to a member of the struct, or a function that finds the field in the struct.
    /// `otherwise`: the default in words; empty: that of the field.
    template <class Field, class Value>
    void operator()(std::string_view name, Field field, Kind<Value> kind, std::string_view doc,
                    std::string_view otherwise = {}) {
        all_.emplace_back(prefix_ + std::string(name), inside(field), std::move(kind), doc, otherwise);
    }

    /// The keys of a struct within this one, a table of its own where `name` is not empty.
    template <class Field>
    void within(std::string_view name, Field field) {
        const auto place = inside(field);
        using Inner = std::remove_cvref_t<decltype(place(std::declval<Target&>()))>;
        KeyReader<Target, decltype(inside(field))> reader(
            prefix_ + std::string(name) + (name.empty() ? "" : "."), place, all_);
        hal::read_keys<Inner>(reader);
    }

  private:
    template <class Field>
    auto inside(Field field) const {
        return [ place = place_, field ](auto& target) -> auto& {
            return std::invoke(field, place(target));
        };
    }

    std::string prefix_;
    Place place_;
    std::vector<Key<Target>>& all_;
};

}  // namespace solidtlm::platform
