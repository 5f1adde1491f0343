// SPDX-License-Identifier: Apache-2.0
//
// Traces of a Nexus 5 phone (Zhou et al., IISWC 2015): `lba512 sectors bytes type t_generate t_process
// t_submit t_finish`, times in seconds; bit 0 of the type: write. The request arrives at t_generate.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class Nexus5Reader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        if (!next_line(line)) {
            return false;
        }
        const std::string_view whole = line;
        const std::uint64_t lba = number(take_word(line), "an address in sectors");
        const std::uint64_t sectors = number(take_word(line), "a length in sectors");
        const std::uint64_t bytes = number(take_word(line), "a length in bytes");
        const std::uint64_t type = number(take_word(line), "a type, bit 0 set for a write");
        start(record, (type & 1) != 0 ? Operation::write : Operation::read);
        record.time_ns = time(take_word(line), kNsPerSecond, "a time in seconds");
        for (int i = 0; i < 3; ++i) {
            time(take_word(line), kNsPerSecond, "four times in seconds");
        }
        if (!trimmed(line).empty()) {
            fail(whole, "eight columns");
        }
        set_sectors(record.request, lba, sectors);
        if (sectors * hal::kSectorBytes != bytes) {
            fail(std::to_string(bytes), "a length of " + std::to_string(sectors) + " sectors in bytes");
        }
        return true;
    }
};

}  // namespace

extern const Format kNexus5Format{{"nexus5", "Nexus 5 phone trace"}, make_reader<Nexus5Reader>};

}  // namespace solidtlm::testbench
