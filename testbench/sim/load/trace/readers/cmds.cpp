// SPDX-License-Identifier: Apache-2.0
//
// Recorded ATA commands: tab-separated `t_us op lba512 nsect tag extra latency_us`.
//
// The queue depth of a request is the number of commands outstanding when it was sent, itself included: those
// with t <= now < t + latency. Commands without a latency (not queued) are sent when no other command is
// outstanding, and count only themselves.
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class CmdsReader final : public TextReader {
  public:
    explicit CmdsReader(ReaderInput input) : TextReader(std::move(input), '\t') {}

    bool read(TraceRecord& record) override {
        std::string_view line;
        while (next_line(line)) {
            if (parse(line, record)) {
                return true;
            }
        }
        return false;
    }

  private:
    bool parse(std::string_view line, TraceRecord& record) {
        const std::uint64_t time_ns = time(take_field(line, '\t'), kNsPerUs, "a time in microseconds");
        const std::string_view op = take_field(line, '\t');
        if (op == "o") {
            ++counts_.skipped;
            return false;
        }
        start(record, operation(op));
        record.time_ns = time_ns;
        Request& request = record.request;
        const std::uint64_t lba = number(take_field(line, '\t'), "an address in sectors");
        const std::uint64_t sectors = number(take_field(line, '\t'), "a length in sectors");
        const std::string_view tag = take_field(line, '\t');
        if (tag != "-1") {
            number(tag, "a tag, or -1 for a command that is not queued");
        }
        const std::string_view extra = take_field(line, '\t');
        if (request.operation == Operation::trim) {
            read_ranges(extra, request);
        } else if (request.operation != Operation::flush) {
            set_sectors(request, lba, sectors);
            request.queued = op == "R" || op == "W";
            request.fua = extra == "FUA";
        }
        const bool has_extra = request.operation == Operation::trim || (op == "W" || op == "w");
        if (!extra.empty() && (!has_extra || (request.operation == Operation::write && !request.fua))) {
            fail(extra, "nothing, FUA (write) or n=ranges (trim)");
        }
        request.queue_depth = outstanding(time_ns, take_field(line, '\t'));
        if (!line.empty()) {
            fail(line, "the end of the line: seven fields separated by tabs");
        }
        return true;
    }

    [[nodiscard]] Operation operation(std::string_view op) const {
        if (op == "R" || op == "r") {
            return Operation::read;
        }
        if (op == "W" || op == "w") {
            return Operation::write;
        }
        if (op == "F") {
            return Operation::flush;
        }
        if (op == "T") {
            return Operation::trim;
        }
        fail(op, "an operation: R, W, r, w, F, T or o");
    }

    /// `n=<ranges>:lba+sectors,lba+sectors,...`
    void read_ranges(std::string_view extra, Request& request) {
        const std::string_view whole = extra;
        std::string_view count_text = take_field(extra, ':');
        if (count_text.substr(0, 2) != "n=") {
            fail(whole, "the ranges of the trim: n=<ranges>:lba+sectors,...");
        }
        const std::uint64_t count = number(count_text.substr(2), "n=<number of ranges>");
        std::uint64_t found = 0;
        while (!extra.empty()) {
            std::string_view sectors = take_field(extra, ',');
            const std::string_view lba = take_field(sectors, '+');
            const std::uint64_t length = number(sectors, "a range lba+sectors");
            ++found;
            if (length != 0) {  // DATA SET MANAGEMENT ignores empty entries
                set_sectors(request, number(lba, "a range lba+sectors"), length);
            }
        }
        if (found != count) {
            fail(whole, std::to_string(count) + " ranges, not " + std::to_string(found));
        }
    }

    std::uint32_t outstanding(std::uint64_t time_ns, std::string_view latency) {
        while (!completions_.empty() && completions_.top() <= time_ns) {
            completions_.pop();
        }
        if (latency.empty()) {
            return static_cast<std::uint32_t>(completions_.size() + 1);
        }
        completions_.push(time_ns + time(latency, kNsPerUs, "a latency in microseconds"));
        return static_cast<std::uint32_t>(completions_.size());
    }

    /// Completion times of the outstanding commands; the earliest is at the top.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> completions_;
};

}  // namespace

extern const Format kCmdsFormat{
    {"cmds", "ATA commands with tags"}, make_reader<CmdsReader>, {.in_time_order = true}};

}  // namespace solidtlm::testbench
