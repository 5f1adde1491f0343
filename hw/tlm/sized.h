// SPDX-License-Identifier: Apache-2.0
//
// Loads and saves the lists of a saved drive in cereal's format. cereal itself believes any size that it
// finds in a file; these functions allocate no more memory than a sound file needs.
#pragma once

#include <cereal/cereal.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace solidtlm::hw {

[[noreturn]] inline void refuse_saved() {
    throw cereal::Exception("it does not fit the configuration that it names");
}

/// Loads or saves a flag. Throws cereal::Exception if the loaded byte is neither 0 nor 1.
template <class Archive>
void serialize_flag(Archive& archive, bool& flag) {
    std::uint8_t found = flag ? 1 : 0;
    archive(found);
    if (found > 1) {
        refuse_saved();
    }
    flag = found == 1;
}

/// Loads or saves a vector or a text. Throws cereal::Exception unless `fits(size)`.
template <class Archive, class List, class Fits>
void serialize_fitting(Archive& archive, List& values, const Fits& fits) {
    using Value = typename List::value_type;
    cereal::size_type found = values.size();
    archive(cereal::make_size_tag(found));
    if (!fits(found)) {
        refuse_saved();
    }
    values.resize(static_cast<std::size_t>(found));
    if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::byte>) {
        archive(cereal::binary_data(values.data(), values.size() * sizeof(Value)));
    } else {
        for (Value& value : values) {
            archive(value);
        }
    }
}

template <class Archive, class Value>
void serialize_sized(Archive& archive, std::vector<Value>& values, std::size_t size) {
    serialize_fitting(archive, values, [size](cereal::size_type found) { return found == size; });
}

template <class Archive, class Value>
void serialize_sized_or_empty(Archive& archive, std::vector<Value>& values, std::size_t size) {
    serialize_fitting(archive, values,
                      [size](cereal::size_type found) { return found == size || found == 0; });
}

template <class Archive, class List>
void serialize_at_most(Archive& archive, List& values, std::size_t most) {
    serialize_fitting(archive, values, [most](cereal::size_type found) { return found <= most; });
}

/// Loads or saves a vector. Loading appends one value after the other, so that a wrong size ends at the
/// file's end and allocates nothing in advance.
template <class Archive, class Value>
void serialize_list(Archive& archive, std::vector<Value>& values) {
    cereal::size_type left = values.size();
    archive(cereal::make_size_tag(left));
    if constexpr (Archive::is_loading::value) {
        for (values.clear(); left > 0; --left) {
            archive(values.emplace_back());
        }
    } else {
        for (Value& value : values) {
            archive(value);
        }
    }
}

/// Loads or saves a map, also one value after the other. `archive_value(value)` loads or saves a value.
template <class Archive, class Map, class ArchiveValue>
void serialize_map(Archive& archive, Map& map, const ArchiveValue& archive_value) {
    cereal::size_type left = map.size();
    archive(cereal::make_size_tag(left));
    if constexpr (Archive::is_loading::value) {
        for (map.clear(); left > 0; --left) {
            typename Map::key_type key{};
            archive(key);
            archive_value(map[key]);
        }
    } else {
        for (auto& [key, value] : map) {
            typename Map::key_type copy = key;
            archive(copy);
            archive_value(value);
        }
    }
}

}  // namespace solidtlm::hw
