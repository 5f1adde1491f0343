// SPDX-License-Identifier: Apache-2.0
//
// Recorded block requests: `t_us op lba512 nsect [flags] [content]`. Content identities are expanded as
// traces/README.md describes: `+`, `+N`, `0`, `0*N`, `k`, `k-m`. They belong to the device's 4 KiB blocks
// that the write touches, including the fragments at its ends.
#include <utility>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class NbdReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        if (!next_line(line)) {
            return false;
        }
        const std::uint64_t time_ns = time(take_word(line), kNsPerUs, "a time in microseconds");
        const std::string_view op = take_word(line);
        start(record, operation(op));
        record.time_ns = time_ns;
        const std::uint64_t lba = number(take_word(line), "an address in sectors");
        const std::uint64_t sectors = number(take_word(line), "a length in sectors");
        if (record.request.operation != Operation::flush) {
            set_sectors(record.request, lba, sectors);
        }
        read_flags(take_word(line), record.request);
        read_content(op, take_word(line), record);
        if (const std::string_view extra = take_word(line); !extra.empty()) {
            fail(extra, "the end of the line");
        }
        return true;
    }

  private:
    [[nodiscard]] Operation operation(std::string_view op) const {
        if (op.size() == 1) {
            switch (op.front()) {
                case 'R':
                    return Operation::read;
                case 'W':
                case 'Z':
                    return Operation::write;
                case 'T':
                    return Operation::trim;
                case 'F':
                    return Operation::flush;
                default:
                    break;
            }
        }
        fail(op, "an operation: R, W, T, Z or F");
    }

    void read_flags(std::string_view flags, Request& request) const {
        while (!flags.empty()) {
            const std::string_view flag = take_field(flags, ',');
            if (flag == "FUA") {
                request.fua = request.operation == Operation::write;
            } else if (flag != "-" && flag != "M") {
                fail(flag, "flags: -, FUA or M (zeroes that may be a trim)");
            }
        }
    }

    void read_content(std::string_view op, std::string_view list, TraceRecord& record) {
        Request& request = record.request;
        if (request.operation != Operation::write) {
            if (!list.empty()) {
                fail(list, "no content but of a write");
            }
            return;
        }
        if (op == "Z") {
            set_zeroes(record);
            return;
        }
        request.content_layout = ContentLayout::aligned_to(request.lba.value);
        const std::uint64_t blocks = request.content_layout.identities(request.sectors);
        if (list.empty()) {
            return;
        }
        const std::string_view whole = list;
        while (!list.empty()) {
            expand(take_field(list, ','), blocks, request.content);
        }
        if (request.content.size() != blocks) {
            fail(whole, std::to_string(blocks) + " content identities, one per 4 KiB block touched");
        }
    }

    void expand(std::string_view item, std::uint64_t blocks, std::vector<std::uint64_t>& content) {
        std::uint64_t first = 0;
        std::uint64_t count = 1;
        std::uint64_t step = 1;
        if (!item.empty() && item.front() == '+') {
            if (item.size() > 1) {
                count = number(item.substr(1), "+N, a run of N new identities");
            }
            first = next_identity_;
            next_identity_ += count;
        } else if (item.substr(0, 2) == "0*") {
            count = number(item.substr(2), "0*N, a run of N zero blocks");
            step = 0;
        } else {
            const std::size_t dash = item.find('-');
            first = number(item.substr(0, dash), "a content identity: +, +N, 0, 0*N, k or k-m");
            std::uint64_t last = first;
            if (dash != std::string_view::npos) {
                last = number(item.substr(dash + 1), "a run of content identities k-m");
            }
            if (last < first || last >= next_identity_) {
                fail(item, "identities seen before, below " + std::to_string(next_identity_) +
                               " (a slice from the middle of a trace must be renumbered)");
            }
            count = last - first + 1;
        }
        if (count > blocks - content.size()) {
            fail(item, "at most " + std::to_string(blocks - content.size()) + " more content identities");
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            content.push_back(first + i * step);
        }
    }

    std::uint64_t next_identity_ = 1;  ///< 0 is the zero block
};

}  // namespace

extern const Format kNbdFormat{{"nbd", "block requests with content identities"},
                               make_reader<NbdReader>,
                               {.in_time_order = true, .has_contents = true}};

}  // namespace solidtlm::testbench
