// SPDX-License-Identifier: Apache-2.0
//
// Reads a trace file. The first line of the input is the format, as for --format, or empty: then the contents
// decide. A byte chooses the compression, a byte how addresses are fitted to a device; the rest is the file.
#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fw/hal/check.h"
#include "testbench/sim/load/trace/trace.h"
#include "testbench/torture/fuzz/fuzz_target.h"
#include "testbench/torture/fuzz/memory_file.h"
#include "testbench/torture/fuzz/sound_requests.h"

namespace solidtlm::fuzz {
namespace {

using testbench::Operation;
using testbench::Request;

constexpr std::uint64_t kDeviceSectors = 1'000'000;
/// A small compressed file may expand to a very large one.
constexpr std::uint64_t kMostRequests = 10'000;

/// The first entry leaves the bytes as they are, compressed or not.
struct Compression {
    int (*add)(archive*);
    const char* level;
};
constexpr std::array<Compression, 6> kCompressions{{{archive_write_add_filter_none, nullptr},
                                                    {archive_write_add_filter_gzip, "1"},
                                                    {archive_write_add_filter_bzip2, "1"},
                                                    {archive_write_add_filter_xz, "0"},
                                                    {archive_write_add_filter_zstd, "1"},
                                                    {archive_write_add_filter_lz4, "1"}}};

void write(const MemoryFile& file, std::string_view contents, const Compression& compression) {
    const std::unique_ptr<archive, int (*)(archive*)> out(archive_write_new(), archive_write_free);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive_write_set_format_raw(out.get());
    compression.add(out.get());
    if (compression.level != nullptr) {
        archive_write_set_filter_option(out.get(), nullptr, "compression-level", compression.level);
    }
    archive_write_set_bytes_in_last_block(out.get(), 1);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    const bool written = archive_write_open_fd(out.get(), file.descriptor()) == ARCHIVE_OK &&
                         archive_write_header(out.get(), entry.get()) == ARCHIVE_OK &&
                         archive_write_data(out.get(), contents.data(), contents.size()) >= 0 &&
                         archive_write_close(out.get()) == ARCHIVE_OK;
    SOLIDTLM_CHECK(written, "an input is compressed");
}

void expect_identities(const Request& request) {
    if (request.operation == Operation::read || request.operation == Operation::write) {
        SOLIDTLM_CHECK(request.content.empty() ||
                           request.content.size() == request.content_layout.identities(request.sectors),
                       "an identity for each block");
    }
}

void read(Input input) {
    testbench::TraceOptions options;
    options.format = input.line();
    const Compression& compression = kCompressions[input.byte() % kCompressions.size()];
    options.fit = static_cast<testbench::Fit>(input.byte() % 3);
    options.device_sectors = kDeviceSectors;
    options.limit = kMostRequests;
    const MemoryFile file;
    if (!input.empty()) {
        write(file, input.rest(), compression);
    }
    options.path = file.path();
    try {
        const auto trace = testbench::open_trace(options);
        Request request;
        SoundRequests sound(kDeviceSectors);
        while (trace->next(request)) {
            sound.expect(request);
            expect_identities(request);
        }
    } catch (const testbench::InputError&) {  // the trace was refused
        return;
    }
}

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    solidtlm::fuzz::read(solidtlm::fuzz::Input(data, size));
    return 0;
}
