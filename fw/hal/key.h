// SPDX-License-Identifier: Apache-2.0
//
// Keys of a configuration. A key is one declaration, beside the code that reads it: the field with its
// default, what is allowed and what it means.
//
//   struct NandBadBlocks {
//       SOLIDTLM_KEYS(NandBadBlocks);
//       SOLIDTLM_KEY(double, factory_fraction, 0.0, key.number(0.0, 0.2),
//                    "Probability that a block is bad when the drive leaves the factory.");
//       SOLIDTLM_KEY(std::uint64_t, seed, 1, key.integer(0, key.kMostInteger), "Chooses the drive.");
//   };
//
// `key` is the reader to come (platform/key_reader.h), which brings the words for what is allowed. So a
// declaration costs nothing where nothing reads keys, and a room that declares some needs no code for it.
#pragma once

#include <chrono>
#include <type_traits>
#include <utility>

#include "fw/hal/types.h"

namespace solidtlm::hal {

/// Where a key is declared, which is also its place among the keys of its struct.
template <int kLine>
struct KeyLine {};
constexpr int kMostKeyLines = 256;  ///< of a struct

/// Gives `reader` the keys of a struct, in the order of their declarations.
template <class Struct, class Reader>
void read_keys(Reader& reader) {
    const auto read_line = [&reader]<int kLine>(KeyLine<kLine> line) {
        if constexpr (requires { Struct::key_at(line, reader); }) {
            Struct::key_at(line, reader);
        }
    };
    [&read_line]<int... kLines>(std::integer_sequence<int, kLines...>) {
        (read_line(KeyLine<Struct::kFirstKeyLine + kLines>{}), ...);
    }
    (std::make_integer_sequence<int, kMostKeyLines>{});
}

}  // namespace solidtlm::hal

/// Before the first key of a struct.
#define SOLIDTLM_KEYS(Struct)    \
    using StructOfKeys = Struct; \
    static constexpr int kFirstKeyLine = __LINE__

/// Declares what `reader` is told in this line.
#define SOLIDTLM_KEY_AT(told)                                                    \
    static_assert(__LINE__ - kFirstKeyLine < ::solidtlm::hal::kMostKeyLines,     \
                  "the keys of a struct lie close to each other");               \
    static void key_at(::solidtlm::hal::KeyLine<__LINE__> /*line*/, auto& key) { \
        using namespace std::chrono_literals;                                    \
        using ::solidtlm::hal::Ps;                                               \
        told;                                                                    \
    }                                                                            \
    static_assert(true)

/// A key whose field stands elsewhere: name, pointer to the member or function that finds it, what is
/// allowed, what it means, and the default in words where the value of the field does not say it.
#define SOLIDTLM_KEY_OF(...) SOLIDTLM_KEY_AT(key(__VA_ARGS__))

/// A field that is a key: its type, its name, its default, what is allowed, what it means.
#define SOLIDTLM_KEY(Type, field, usual, allowed, doc) \
    SOLIDTLM_KEY_AS(#field, Type, field, usual, allowed, doc)
/// With another name for users.
#define SOLIDTLM_KEY_AS(name, Type, field, usual, allowed, doc) \
    SOLIDTLM_KEY_OF(name, &StructOfKeys::field, allowed, doc);  \
    Type field {                                                \
        usual                                                   \
    }

/// A field that is a table of keys, with that name.
#define SOLIDTLM_KEY_TABLE(Type, field)                  \
    SOLIDTLM_KEY_TABLE_OF(#field, &StructOfKeys::field); \
    Type field
/// A table of keys that stands elsewhere: name (empty: its keys are keys of this one), pointer to the member
/// or function that finds it.
#define SOLIDTLM_KEY_TABLE_OF(name, member) SOLIDTLM_KEY_AT(key.within(name, member))
