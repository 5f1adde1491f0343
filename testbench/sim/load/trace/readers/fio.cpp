// SPDX-License-Identifier: Apache-2.0
//
// fio iolog. Version 2: `filename action [offset length]`; time comes only from `wait` lines (microseconds
// since the previous line). Version 3: `timestamp filename action [offset length]`; the timestamp is in
// microseconds, as fio's log_io_u() writes it. Offsets and lengths are in bytes. Actions add, open and close
// are skipped.
#include <utility>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/formats.h"

namespace solidtlm::testbench {
namespace {

constexpr std::string_view kActions =
    "an action: read, write, trim, sync, datasync, sync_file_range, wait (version 2), add, open or close";

class FioReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        if (version_ == 0) {
            read_heading();
        }
        while (next_line(line)) {
            if (parse(line, record)) {
                return true;
            }
        }
        return false;
    }

  private:
    void read_heading() {
        std::string_view line;
        const std::string_view heading = next_line(line) ? trimmed(line) : std::string_view{};
        if (heading == "fio version 2 iolog") {
            version_ = 2;
        } else if (heading == "fio version 3 iolog") {
            version_ = 3;
        } else {
            fail(heading, "'fio version 2 iolog' or 'fio version 3 iolog'");
        }
        ++known_;
    }

    bool parse(std::string_view line, TraceRecord& record) {
        if (version_ == 3) {
            time_ns_ = time(take_word(line), kNsPerUs, "a timestamp in microseconds");
        }
        const std::string_view file = take_word(line);
        const std::string_view action = take_word(line);
        if (action == "add" || action == "open" || action == "close") {
            ++counts_.passed;
            return false;
        }
        if (action == "wait" && version_ == 2) {
            time_ns_ += time(take_word(line), kNsPerUs, "a time to wait in microseconds");
            ++counts_.passed;
            return false;
        }
        if (action == "sync_file_range") {  // it writes pages out but does not flush the device
            ++counts_.skipped;
            return false;
        }
        const Operation what = operation(action);
        if (!wanted(file)) {
            return false;
        }
        start(record, what);
        record.time_ns = time_ns_;
        if (what != Operation::flush) {
            const std::uint64_t offset = number(take_word(line), "an offset in bytes");
            set_bytes(record.request, offset, number(take_word(line), "a length in bytes"));
        }
        return true;
    }

    [[nodiscard]] Operation operation(std::string_view action) const {
        if (action == "read") {
            return Operation::read;
        }
        if (action == "write") {
            return Operation::write;
        }
        if (action == "trim") {
            return Operation::trim;
        }
        if (action == "sync" || action == "datasync") {
            return Operation::flush;
        }
        fail(action, kActions);
    }

    int version_ = 0;
    std::uint64_t time_ns_ = 0;
};

}  // namespace

extern const Format kFioFormat{
    {"fio", "fio iolog version 2 or 3"}, make_reader<FioReader>, {.has_devices = true}};

}  // namespace solidtlm::testbench
