// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/btree/load.h"

#include <fmt/format.h>

#include <stdexcept>

namespace solidtlm::testbench::btree {
namespace {

/// The finalizer of MurmurHash3: a permutation of 32-bit integers.
std::uint32_t mix(std::uint32_t bits) {
    bits = (bits ^ bits >> 16U) * 0x85EB'CA6BU;
    bits = (bits ^ bits >> 13U) * 0xC2B2'AE35U;
    return bits ^ bits >> 16U;
}

/// Pages in memory that record their reads and writes.
class RecordedPages : public MemoryPages {
  public:
    using MemoryPages::MemoryPages;
    void read(PageId page, std::span<std::byte> bytes) override {
        traffic.push_back({false, page});
        MemoryPages::read(page, bytes);
    }
    void write(PageId page, std::span<const std::byte> bytes) override {
        traffic.push_back({true, page});
        MemoryPages::write(page, bytes);
    }
    std::vector<PageIo> traffic;
};

}  // namespace

Key key_of(std::uint64_t index, std::uint64_t seed) {
    const auto low = static_cast<std::uint32_t>(seed);
    const auto high = static_cast<std::uint32_t>(seed >> 32U);
    return mix(mix(static_cast<std::uint32_t>(index) + mix(low)) ^ mix(high + 1));
}

bool Inserter::step() {
    if (inserted_ < load_.inserts) {
        tree_.insert(key_of(inserted_, load_.seed), static_cast<Value>(inserted_));
        ++inserted_;
        return true;
    }
    if (!flushed_) {
        buffer_.flush();
        flushed_ = true;
        return true;
    }
    return false;
}

LoadOutcome run_in_memory(const Load& load) {
    RecordedPages file(load.page_bytes);
    Inserter inserter(load, file);
    while (inserter.step()) {
    }
    LoadOutcome outcome{std::move(file.traffic), inserter.tree().root(), inserter.tree().height(),
                        inserter.counters()};
    if (const std::string wrong = check_tree(load, outcome.root, file); !wrong.empty()) {
        throw std::logic_error("B+-tree: " + wrong);
    }
    return outcome;
}

std::string check_tree(const Load& load, const TreeRoot& root, PageFile& file) {
    BufferManager buffer(file, load.page_bytes, root.pages + Btree::kLeastFrames);
    TreeShape shape = load.shape;
    shape.pin_root = false;
    Btree tree(buffer, shape, root);
    if (std::string wrong = tree.check(load.inserts); !wrong.empty()) {
        return wrong;
    }
    for (std::uint64_t i = 0; i < load.inserts; ++i) {
        const Key key = key_of(i, load.seed);
        if (tree.search(key) != std::optional(static_cast<Value>(i))) {
            return fmt::format("key {} of insert {} is not found with its value", key, i);
        }
    }
    return {};
}

}  // namespace solidtlm::testbench::btree
