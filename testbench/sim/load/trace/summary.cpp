// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/trace.h"

namespace solidtlm::testbench {
namespace {

/// A set of page numbers, as bitmaps of 64 Ki pages that are allocated when needed.
class PageSet {
  public:
    void insert_run(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t page = first; page <= last; ++page) {
            const std::uint64_t chunk = page / kPagesPerChunk;
            if (bits_ == nullptr || chunk != chunk_) {
                bits_ = &chunks_[chunk];
                chunk_ = chunk;
            }
            (*bits_)[page % kPagesPerChunk / 64] |= std::uint64_t{1} << page % 64;
        }
    }
    [[nodiscard]] std::uint64_t size() const {
        std::uint64_t count = 0;
        for (const auto& [number, bits] : chunks_) {
            for (const std::uint64_t word : bits) {
                count += static_cast<std::uint64_t>(std::popcount(word));
            }
        }
        return count;
    }

  private:
    static constexpr std::uint64_t kPagesPerChunk = 65536;
    using Bits = std::array<std::uint64_t, kPagesPerChunk / 64>;
    std::unordered_map<std::uint64_t, Bits> chunks_;
    Bits* bits_ = nullptr;
    std::uint64_t chunk_ = 0;
};

class Summarizer {
  public:
    /// `zeroes`: the request is a write-zeroes command.
    void add(const Request& request, bool zeroes) {
        summary.deepest_queue = std::max(summary.deepest_queue, request.queue_depth);
        switch (request.operation) {
            case Operation::read:
                summary.read_bytes += request.sectors * hal::kSectorBytes;
                add_pages(request);
                break;
            case Operation::write:
                add_write(request, zeroes);
                break;
            case Operation::trim:
                summary.trim_ranges += request.ranges.size();
                for (const TrimRange& range : request.ranges) {
                    summary.trim_bytes += std::uint64_t{range.sectors} * hal::kSectorBytes;
                }
                break;
            case Operation::flush:
                break;
        }
    }

    void finish() {
        summary.distinct_pages = pages_.size();
        identities_.erase(0);
        summary.distinct_identities = identities_.size();
    }

    TraceSummary summary;

  private:
    void add_write(const Request& request, bool zeroes) {
        const std::uint64_t bytes = request.sectors * hal::kSectorBytes;
        summary.write_bytes += bytes;
        summary.identities += request.content.size();
        identities_.insert(request.content.begin(), request.content.end());
        if (zeroes) {
            summary.zero_bytes += bytes;
        } else {
            add_pages(request);
        }
    }

    void add_pages(const Request& request) {
        pages_.insert_run(request.lba.value / kSectorsPerPage,
                          (request.lba.value + request.sectors - 1) / kSectorsPerPage);
    }

    PageSet pages_;
    std::unordered_set<std::uint64_t> identities_;
};

}  // namespace

TraceSummary summarize(const TraceOptions& options) {
    const auto source = open_trace(options);
    Summarizer summarizer;
    Request request;
    while (source->next(request)) {
        summarizer.add(request, source->zeroes());
    }
    summarizer.finish();
    static_cast<TraceAccount&>(summarizer.summary) = source->account();
    return summarizer.summary;
}

}  // namespace solidtlm::testbench
