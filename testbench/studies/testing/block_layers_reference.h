// SPDX-License-Identifier: Apache-2.0
//
// Test-only models of fmax, bast, fast and mtbs, written only from the definitions in docs/block-map.md:
// which programs and erases each page write and trim causes. The models know no time and no flash addresses,
// never run out of blocks, and search where an implementation would use an index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace solidtlm::testbench::reference {

struct BlockSettings {
    int logical_pages = 0;
    int pages = 0;          ///< N: pages per block
    int columns = 1;        ///< w: number of columns
    bool ascending = true;  ///< the rule of ascending pages
    int log_blocks = 1;
};

struct BlockCounts {
    std::int64_t write_data = 0;
    std::int64_t update_pure = 0;
    std::int64_t update_pure_unused_place = 0;  ///< part of update_pure
    std::int64_t update_wasted = 0;
    std::int64_t copies = 0;  ///< pages that merges read and program
    std::int64_t erases = 0;
    std::int64_t switches = 0;
    std::int64_t partial_merges = 0;
    std::int64_t full_merges = 0;

    [[nodiscard]] std::int64_t host_programs() const { return write_data + update_pure + update_wasted; }
    [[nodiscard]] std::int64_t programs() const { return host_programs() + copies; }
    friend bool operator==(const BlockCounts&, const BlockCounts&) = default;
};

class BlockModel {
  public:
    BlockModel(const BlockSettings& settings, int data_pages)
        : settings_(settings),
          data_pages_(data_pages),
          newest_(static_cast<std::size_t>(settings.logical_pages)),
          data_block_(static_cast<std::size_t>((settings.logical_pages + data_pages - 1) / data_pages),
                      kNone) {}
    virtual ~BlockModel() = default;
    BlockModel(const BlockModel&) = delete;
    BlockModel& operator=(const BlockModel&) = delete;

    void write(int page) {
        const int logical = page / data_pages_;
        const int offset = page % data_pages_;
        ++now_;
        while (true) {
            if (data_block(logical) == kNone) {
                data_block(logical) = take_block();
            }
            if (writable(data_block(logical), offset)) {
                program(page, data_block(logical), offset);
                ++counts_.write_data;
                break;
            }
            const std::optional<Place> place = log_place(logical, offset);
            if (place) {
                classify(page, logical, offset);
                program(page, place->block, place->offset);
                break;
            }  // a merge was made, so the decision starts over
        }
        after_write(logical);
    }

    void trim(int page) {
        const int logical = page / data_pages_;
        newest_[static_cast<std::size_t>(page)] = Place{};
        if (data_block(logical) != kNone && pages_with_data(logical).empty()) {
            erase(data_block(logical));
            data_block(logical) = kNone;
            drop_logs_of(logical);
        }
    }

    [[nodiscard]] const BlockCounts& counts() const { return counts_; }
    [[nodiscard]] bool has_data(int page) const {
        return newest_[static_cast<std::size_t>(page)].block != kNone;
    }
    /// Number of blocks in use, including log blocks.
    [[nodiscard]] std::size_t blocks() const { return programmed_.size(); }

  protected:
    static constexpr int kNone = -1;
    struct Place {
        int block = kNone;
        int offset = 0;
    };

    /// The place of page `offset` of `logical` in the log; nothing: a merge was made instead.
    virtual std::optional<Place> log_place(int logical, int offset) = 0;
    /// Makes switches that have become possible.
    virtual void after_write(int /*logical*/) {}
    /// No page of `logical` has data any more.
    virtual void drop_logs_of(int /*logical*/) {}

    int& data_block(int logical) { return data_block_[static_cast<std::size_t>(logical)]; }
    [[nodiscard]] Place newest(int logical, int offset) const {
        return newest_[static_cast<std::size_t>(logical * data_pages_ + offset)];
    }
    /// Offsets of `logical` that have data, in ascending order.
    [[nodiscard]] std::vector<int> pages_with_data(int logical) const {
        std::vector<int> offsets;
        for (int offset = 0; offset < data_pages_ && logical * data_pages_ + offset < settings_.logical_pages;
             ++offset) {
            if (newest(logical, offset).block != kNone) {
                offsets.push_back(offset);
            }
        }
        return offsets;
    }
    /// Offsets whose newest data is not in `block`.
    [[nodiscard]] std::vector<int> pages_outside(int logical, int block) const {
        std::vector<int> offsets = pages_with_data(logical);
        std::erase_if(offsets, [&](int offset) { return newest(logical, offset).block == block; });
        return offsets;
    }

    int take_block() {
        programmed_[next_block_] = std::vector<bool>(static_cast<std::size_t>(settings_.pages), false);
        return next_block_++;
    }
    void erase(int block) {
        programmed_.erase(block);
        ++counts_.erases;
    }
    [[nodiscard]] bool programmed(int block, int offset) const {
        return programmed_.at(block)[static_cast<std::size_t>(offset)];
    }
    [[nodiscard]] bool writable(int block, int offset) const {
        if (!settings_.ascending) {
            return !programmed(block, offset);
        }
        for (int later = offset; later < settings_.pages; later += settings_.columns) {
            if (programmed(block, later)) {
                return false;
            }
        }
        return true;
    }
    /// Number of offsets programmed since the erase.
    [[nodiscard]] int filled(int block) const {
        const std::vector<bool>& pages = programmed_.at(block);
        return static_cast<int>(std::count(pages.begin(), pages.end(), true));
    }

    /// Copies the pages at `offsets` to the same offsets of `target`, which becomes the data block.
    void gather(int logical, const std::vector<int>& offsets, int target) {
        for (const int offset : offsets) {
            program(logical * data_pages_ + offset, target, offset);
            ++counts_.copies;
        }
        erase(data_block(logical));
        data_block(logical) = target;
    }
    void merge_fully(int logical) {
        gather(logical, pages_with_data(logical), take_block());
        ++counts_.full_merges;
    }
    /// Copies the missing pages to `log`, which becomes the data block.
    void merge_into(int logical, int log) {
        const std::vector<int> lacking = pages_outside(logical, log);
        ++(lacking.empty() ? counts_.switches : counts_.partial_merges);
        gather(logical, lacking, log);
    }

    BlockSettings settings_;
    int data_pages_;  ///< D: data pages per block
    BlockCounts counts_;
    std::int64_t now_ = 0;  ///< number of writes so far

  private:
    void program(int page, int block, int offset) {
        programmed_.at(block)[static_cast<std::size_t>(offset)] = true;
        newest_[static_cast<std::size_t>(page)] = Place{block, offset};
    }
    void classify(int page, int logical, int offset) {
        const bool used = programmed(data_block(logical), offset);
        if (used || has_data(page)) {
            ++counts_.update_pure;
            counts_.update_pure_unused_place += used ? 0 : 1;
        } else {
            ++counts_.update_wasted;
        }
    }

    std::vector<Place> newest_;    ///< by logical page
    std::vector<int> data_block_;  ///< by logical block
    std::map<int, std::vector<bool>> programmed_;
    int next_block_ = 0;
};

/// Layers with own log blocks per data block, at most `log_blocks` in total: the mirror blocks of fmax, the
/// log blocks of bast.
class OwnLogModel : public BlockModel {
  public:
    explicit OwnLogModel(const BlockSettings& settings) : BlockModel(settings, settings.pages) {}

  protected:
    struct Log {
        int block = kNone;
        std::int64_t written = 0;   ///< time of the last write
        bool compound = false;      ///< used by fmax
        std::vector<int> contents;  ///< for bast: page offsets in the order of writing
    };

    virtual void merge(int logical) = 0;

    /// The log of `logical`, a new one if it has none; nothing: another log was merged to make room.
    Log* log_of(int logical) {
        const auto found = logs_.find(logical);
        if (found != logs_.end()) {
            return &found->second;
        }
        if (static_cast<int>(logs_.size()) == settings_.log_blocks) {
            const auto victim = std::min_element(
                logs_.begin(), logs_.end(),
                [](const auto& a, const auto& b) { return a.second.written < b.second.written; });
            merge(victim->first);
            return nullptr;
        }
        Log& log = logs_[logical];
        log.block = take_block();
        return &log;
    }
    void drop_logs_of(int logical) override {
        if (logs_.contains(logical)) {
            erase(logs_.at(logical).block);
            logs_.erase(logical);
        }
    }

    std::map<int, Log> logs_;  ///< by logical block
};

class FmaxModel : public OwnLogModel {
  public:
    using OwnLogModel::OwnLogModel;

  protected:
    std::optional<Place> log_place(int logical, int offset) override {
        Log* mirror = log_of(logical);
        if (mirror == nullptr) {
            return std::nullopt;
        }
        mirror->compound = mirror->compound || !writable(mirror->block, offset);
        if (!mirror->compound) {
            mirror->written = now_;
            return Place{mirror->block, offset};
        }
        for (int lowest = 0; lowest < settings_.pages; ++lowest) {
            if (writable(mirror->block, lowest)) {
                mirror->written = now_;
                return Place{mirror->block, lowest};
            }
        }
        merge(logical);
        return std::nullopt;
    }
    void after_write(int logical) override {
        if (logs_.contains(logical) && !logs_.at(logical).compound &&
            filled(logs_.at(logical).block) == settings_.pages) {
            merge(logical);
        }
    }
    void merge(int logical) override {
        const Log mirror = logs_.at(logical);
        logs_.erase(logical);
        const std::vector<int> outside = pages_outside(logical, mirror.block);
        const bool fits = std::all_of(outside.begin(), outside.end(),
                                      [&](int offset) { return writable(mirror.block, offset); });
        if (!mirror.compound && fits) {
            merge_into(logical, mirror.block);
        } else {
            merge_fully(logical);
            erase(mirror.block);
        }
    }
};

class BastModel : public OwnLogModel {
  public:
    using OwnLogModel::OwnLogModel;

  protected:
    std::optional<Place> log_place(int logical, int offset) override {
        Log* log = log_of(logical);
        if (log == nullptr) {
            return std::nullopt;
        }
        const int next = static_cast<int>(log->contents.size());
        if (next == settings_.pages) {
            merge(logical);
            return std::nullopt;
        }
        log->contents.push_back(offset);
        log->written = now_;
        return Place{log->block, next};
    }
    void after_write(int logical) override {
        if (logs_.contains(logical) &&
            static_cast<int>(logs_.at(logical).contents.size()) == settings_.pages &&
            in_order(logs_.at(logical))) {
            merge(logical);
        }
    }
    void merge(int logical) override {
        const Log log = logs_.at(logical);
        logs_.erase(logical);
        if (in_order(log)) {
            merge_into(logical, log.block);
        } else {
            merge_fully(logical);
            erase(log.block);
        }
    }

  private:
    static bool in_order(const Log& log) {
        for (std::size_t i = 0; i < log.contents.size(); ++i) {
            if (log.contents[i] != static_cast<int>(i)) {
                return false;
            }
        }
        return true;
    }
};

class FastModel : public BlockModel {
  public:
    explicit FastModel(const BlockSettings& settings) : BlockModel(settings, settings.pages) {}

  protected:
    std::optional<Place> log_place(int logical, int offset) override {
        if (offset == 0) {
            if (sequential_ != kNone) {
                merge_sequential();
                return std::nullopt;
            }
            sequential_ = take_block();
            owner_ = logical;
            return Place{sequential_, 0};
        }
        if (owner_ == logical) {
            if (offset == filled(sequential_)) {
                return Place{sequential_, offset};
            }
            merge_sequential();
            return std::nullopt;
        }
        if (random_.empty() || filled(random_.back()) == settings_.pages) {
            if (static_cast<int>(random_.size()) == settings_.log_blocks - 1) {
                clear_oldest();
                return std::nullopt;
            }
            random_.push_back(take_block());
        }
        return Place{random_.back(), filled(random_.back())};
    }
    void after_write(int /*logical*/) override {
        if (sequential_ != kNone && filled(sequential_) == settings_.pages) {
            merge_sequential();
        }
    }
    void drop_logs_of(int logical) override {
        if (owner_ == logical) {
            erase(sequential_);
            sequential_ = owner_ = kNone;
        }
    }

  private:
    void merge_sequential() {
        merge_into(owner_, sequential_);
        sequential_ = owner_ = kNone;
    }
    void clear_oldest() {
        const int oldest = random_.front();
        random_.pop_front();
        std::map<int, int> concerned;  // logical blocks, by the place of their first page
        for (int logical = 0; logical * data_pages_ < settings_.logical_pages; ++logical) {
            int first = settings_.pages;
            for (const int offset : pages_with_data(logical)) {
                const Place place = newest(logical, offset);
                first = place.block == oldest ? std::min(first, place.offset) : first;
            }
            if (first < settings_.pages) {
                concerned[first] = logical;
            }
        }
        for (const auto& [first, logical] : concerned) {
            merge_fully(logical);
            if (owner_ == logical) {
                erase(sequential_);
                sequential_ = owner_ = kNone;
            }
        }
        erase(oldest);
    }

    int sequential_ = kNone;
    int owner_ = kNone;
    std::deque<int> random_;  ///< the oldest first
};

class MtbsModel : public BlockModel {
  public:
    explicit MtbsModel(const BlockSettings& settings)
        : BlockModel(settings, settings.columns * (settings.pages / settings.columns / 2)) {}

  protected:
    std::optional<Place> log_place(int logical, int /*offset*/) override {
        const int block = data_block(logical);
        for (int spare = data_pages_; spare < settings_.pages; ++spare) {
            if (!programmed(block, spare)) {
                return Place{block, spare};
            }
        }
        merge_fully(logical);
        return std::nullopt;
    }
};

}  // namespace solidtlm::testbench::reference
