// SPDX-License-Identifier: Apache-2.0
//
// Default text output of blkparse(1): `maj,min cpu sequence seconds pid action rwbs sector + sectors
// [process]`.
//
// Only D lines (issued to the driver) are requests. rwbs: an F before the letter of the operation is a flush
// before it, an F behind it FUA; R, W, D (discard), F (flush); N (no data) and packet commands are counted as
// skipped. A data request with a flush before it becomes two. The summary behind the events is passed over.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class BlkparseReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        if (pending_data_) {
            pending_data_ = false;
            std::swap(record, data_);
            return true;
        }
        std::string_view line;
        while (next_line(line)) {
            const std::string_view whole = trimmed(line);
            if (!is_event(whole)) {
                if (!in_summary_ && !starts_summary(whole)) {
                    fail(whole, "an event (maj,min cpu sequence time pid action ...) or the summary");
                }
                in_summary_ = true;
            } else if (parse(line, record)) {
                return true;
            }
        }
        return false;
    }

  private:
    /// `major,minor` comes first.
    static bool is_event(std::string_view line) {
        std::string_view minor = take_word(line);
        const std::string_view major = take_field(minor, ',');
        std::uint64_t value = 0;
        return parse_number(major, value) && parse_number(minor, value);
    }

    static bool starts_summary(std::string_view line) {
        return line.substr(0, 3) == "CPU" || line.substr(0, 5) == "Total" ||
               line.substr(0, 8) == "Input fi" || line.substr(0, 10) == "Throughput";
    }

    bool parse(std::string_view line, TraceRecord& record) {
        const std::string_view device = take_word(line);
        number(take_word(line), "a CPU");
        number(take_word(line), "a sequence number");
        const std::string_view time_text = take_word(line);
        take_word(line);  // process id
        if (take_word(line) != "D") {
            return false;
        }
        const std::uint64_t time_ns = time(time_text, kNsPerSecond, "a time in seconds");
        if (!wanted(device)) {
            return false;
        }
        const std::string_view rwbs = take_word(line);
        const std::string_view sector_text = take_word(line);
        const bool has_length = trimmed(line).substr(0, 2) == "+ ";
        std::uint64_t sectors = 0;
        if (has_length) {
            take_word(line);
            sectors = number(take_word(line), "a length in sectors");
        }
        return classify(rwbs, sector_text, sectors, time_ns, record);
    }

    bool classify(std::string_view rwbs, std::string_view sector_text, std::uint64_t sectors,
                  std::uint64_t time_ns, TraceRecord& record) {
        const bool preflush = rwbs.size() > 1 && rwbs.front() == 'F';
        const std::string_view rest = preflush ? rwbs.substr(1) : rwbs;
        const char op = rest.empty() ? '?' : rest.front();
        if (op != 'R' && op != 'W' && op != 'D' && op != 'F' && op != 'N') {
            fail(rwbs, "an operation: R, W, D, F or N, with modifiers");
        }
        const bool is_flush = preflush || op == 'F';
        const bool has_data = sectors > 0 && op != 'F' && op != 'N';
        if (!is_flush && !has_data) {
            ++counts_.skipped;
            return false;
        }
        TraceRecord& data = is_flush ? data_ : record;
        if (has_data) {
            start(data, op == 'R' ? Operation::read : op == 'W' ? Operation::write : Operation::trim);
            data.time_ns = time_ns;
            data.request.fua = op == 'W' && rest.find('F', 1) != std::string_view::npos;
            set_sectors(data.request, number(sector_text, "an address in sectors"), sectors);
        }
        if (is_flush) {
            start(record, Operation::flush);
            record.time_ns = time_ns;
            pending_data_ = has_data;
        }
        return true;
    }

    bool in_summary_ = false;
    bool pending_data_ = false;  ///< data_ follows the flush returned last
    TraceRecord data_;
};

}  // namespace

extern const Format kBlkparseFormat{
    {"blkparse", "blkparse text"}, make_reader<BlkparseReader>, {.has_devices = true}};

}  // namespace solidtlm::testbench
