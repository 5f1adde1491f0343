// SPDX-License-Identifier: Apache-2.0
//
// Saves firmware's state to a file, or loads it. A class names its members once, in serialize(), which
// serves both directions and is only called at rest.
//
// Vectors and arrays are tables: their size follows from the configuration, and a file with another size is
// refused. A list() may have any size.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::hal {

/// The loaded data is not a state of this firmware.
class StateError : public std::runtime_error {
  public:
    StateError() : std::runtime_error("holds no state of the firmware that it names") {}
};

/// A container of any size, for StateArchive.
template <class Container>
struct StateList {
    Container& values;
};
template <class Container>
StateList<Container> list(Container& values) {
    return {values};
}

class StateArchive {
  public:
    virtual ~StateArchive() = default;
    [[nodiscard]] virtual bool loading() const = 0;
    /// `count` numbers of `width` bytes each.
    virtual void numbers(void* first, std::size_t count, std::size_t width) = 0;

    template <class... Values>
    void operator()(Values&&... values) {
        (one(values), ...);
    }

  private:
    template <class Value>
    static constexpr bool kNumber =
        (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) || std::is_enum_v<Value>;

    template <class Value>
    void one(Value& value) {
        if constexpr (kNumber<Value>) {
            numbers(&value, 1, sizeof value);
        } else {
            value.serialize(*this);
        }
    }
    void one(bool& value) {
        std::uint8_t byte = value ? 1 : 0;
        one(byte);
        value = byte != 0;
    }
    template <class Tag, class Rep>
    void one(Index<Tag, Rep>& index) {
        one(index.value);
    }
    void one(Ps& time) {
        auto count = time.count();
        one(count);
        time = Ps{count};
    }
    template <class First, class Second>
    void one(std::pair<First, Second>& both) {
        (*this)(both.first, both.second);
    }
    template <class Value>
    void one(std::optional<Value>& value) {
        bool there = value.has_value();
        one(there);
        if (loading()) {
            value = there ? std::optional(Value{}) : std::nullopt;
        }
        if (there) {
            one(*value);
        }
    }
    template <class Value, std::size_t kSize>
    void one(std::array<Value, kSize>& values) {
        for (Value& value : values) {
            one(value);
        }
    }
    template <class Value>
    void one(std::vector<Value>& table) {
        if (size_of(table) != table.size()) {
            throw StateError();
        }
        if constexpr (kNumber<Value>) {
            numbers(table.data(), table.size(), sizeof(Value));
        } else {
            for (Value& value : table) {
                one(value);
            }
        }
    }
    /// Loads one value after the other, so that a wrong size takes no more memory than the file has bytes.
    template <class Container>
    void one(StateList<Container> list) {
        std::uint64_t left = size_of(list.values);
        if (!loading()) {
            for (auto& value : list.values) {
                one(value);
            }
            return;
        }
        for (list.values.clear(); left > 0; --left) {
            list.values.resize(list.values.size() + 1);
            one(list.values.back());
        }
    }
    /// Sets and maps, which may have any size.
    template <class Key>
    void one(std::set<Key>& keys) {
        std::vector<Key> values(keys.begin(), keys.end());
        one(list(values));
        keys = {values.begin(), values.end()};
    }
    template <class Key, class Value>
    void one(std::map<Key, Value>& map) {
        std::vector<std::pair<Key, Value>> values(map.begin(), map.end());
        one(list(values));
        map = {values.begin(), values.end()};
    }

    /// Saves or loads the size. Returns it.
    template <class Container>
    [[nodiscard]] std::uint64_t size_of(const Container& values) {
        std::uint64_t size = values.size();
        one(size);
        return size;
    }
};

}  // namespace solidtlm::hal
