// SPDX-License-Identifier: Apache-2.0
//
// The trace formats: one table, one reader each. traces/README.md describes every format field by field.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "testbench/trace/input_stream.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

struct Format {
    std::string_view name;         ///< as given to --format
    std::string_view description;  ///< for help and messages
    bool in_time_order;            ///< false: records come a little out of order (ReorderWindow)
    bool has_devices;              ///< records name a device
    bool has_contents;             ///< writes may tell the identities of their contents
    /// A reader for a stream at its beginning.
    std::unique_ptr<TraceReader> (*make)(InputStream input, std::string device);
};

[[nodiscard]] std::span<const Format> formats();
/// Throws InputError that lists the names and the nearest one.
[[nodiscard]] const Format& format_named(std::string_view name);

std::unique_ptr<TraceReader> make_blkparse_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_cmds_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_disksim_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_fio_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_fiu_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_flashsim_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_mqsim_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_msr_cut_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_msr_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_nbd_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_nexus5_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_spc_reader(InputStream input, std::string device);
std::unique_ptr<TraceReader> make_vscsi_reader(InputStream input, std::string device);

}  // namespace solidtlm::testbench
