// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/state_archive.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>

namespace solidtlm::hal {
namespace {

/// Saves to memory and loads from it.
class MemoryArchive : public StateArchive {
  public:
    [[nodiscard]] bool loading() const override { return loading_; }
    void numbers(void* first, std::size_t count, std::size_t width) override {
        auto* bytes = static_cast<char*>(first);
        const std::size_t size = count * width;
        if (!loading_) {
            memory_.append(bytes, size);
        } else if (memory_.size() - at_ < size) {
            throw StateError();
        } else if (size > 0) {
            std::memcpy(bytes, memory_.data() + at_, size);
            at_ += size;
        }
    }
    void load() { loading_ = true; }
    [[nodiscard]] bool at_end() const { return at_ == memory_.size(); }

  private:
    std::string memory_;
    std::size_t at_ = 0;
    bool loading_ = false;
};

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
