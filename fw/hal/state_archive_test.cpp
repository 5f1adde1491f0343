// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/state_archive.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "fw/testing/memory_archive.h"

namespace solidtlm::hal {
namespace {

using fw::testing::MemoryArchive;

enum class Kind : std::uint8_t { one, other };

struct Part {
    Lpn name;
    bool flag = false;

    void serialize(StateArchive& archive) { archive(name, flag); }
    bool operator==(const Part&) const = default;
};

struct Whole {
    std::uint16_t number = 0;
    Kind kind = Kind::one;
    Ps time{0};
    std::array<Part, 2> parts;
    std::vector<std::uint64_t> table = std::vector<std::uint64_t>(3);
    std::vector<Part> list;
    std::deque<Part> queue;
    std::string text;
    std::optional<Lpn> nothing = Lpn{9};
    std::optional<Lpn> something;
    std::set<std::uint32_t> set;
    std::map<std::uint64_t, std::uint8_t> map;

    void serialize(StateArchive& archive) {
        archive(number, kind, time, parts, table, hal::list(list), hal::list(queue), hal::list(text), nothing,
                something, set, map);
    }
    bool operator==(const Whole&) const = default;
};

Whole example() {
    return {513,          Kind::other,      Ps{-5},    {{{Lpn{1}, true}, {Lpn{2}, false}}},
            {1, 2, 3},    {{Lpn{7}, true}}, {{}, {}},  "a text",
            std::nullopt, Lpn{4},           {9, 5, 7}, {{1U << 20U, 200}, {3, 4}}};
}

TEST(StateArchive, LoadsWhatWasSaved) {
    MemoryArchive archive;
    Whole saved = example();
    archive(saved);
    EXPECT_EQ(saved, example()) << "saving changes nothing";
    archive.load();
    Whole loaded;
    loaded.list.resize(5);
    archive(loaded);
    EXPECT_EQ(loaded, saved);
    EXPECT_TRUE(archive.at_end());
}

TEST(StateArchive, TakesNoTableOfAnotherSize) {
    MemoryArchive archive;
    Whole saved = example();
    saved.table.push_back(4);
    archive(saved);
    archive.load();
    Whole loaded;
    EXPECT_THROW(archive(loaded), StateError);
}

TEST(StateArchive, EndsWhereTheBytesEnd) {
    MemoryArchive archive;
    std::uint64_t endless = ~std::uint64_t{0};
    archive(endless);
    archive.load();
    std::vector<Part> list;
    EXPECT_THROW(archive(hal::list(list)), StateError);
}

}  // namespace
}  // namespace solidtlm::hal
