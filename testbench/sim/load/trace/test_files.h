// SPDX-License-Identifier: Apache-2.0
//
// For tests: temporary files, and requests written as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/load/trace/trace.h"

namespace solidtlm::testbench {

/// A file in the temporary folder that the destructor removes.
class TempFile {
  public:
    explicit TempFile(std::string_view contents, const std::string& name = "trace") {
        static int counter = 0;
        path_ = testing::TempDir() + "solidtlm_" + std::to_string(getpid()) + "_" +
                std::to_string(counter++) + "_" + name;
        std::ofstream(path_, std::ios::binary) << contents;
    }
    ~TempFile() { std::filesystem::remove(path_); }
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// "<arrival in ps> <R|W|T|F> <lba>+<sectors>[,<lba>+<sectors>] [FUA] [dma] [qd=<n>] [first=<n>[@<i>]]
/// [ids=<a>,<b>]". dma: a read or write that is not queued. first: the first identity stands for n sectors,
/// beginning with its sector i.
inline std::string describe(const Request& request) {
    std::string text = std::to_string(request.arrival.count()) + " ";
    text += "RWTF"[static_cast<std::size_t>(request.operation)];
    if (request.operation == Operation::read || request.operation == Operation::write) {
        text += " " + std::to_string(request.lba.value) + "+" + std::to_string(request.sectors);
        text += request.queued ? "" : " dma";
    }
    for (std::size_t i = 0; i < request.ranges.size(); ++i) {
        text += (i == 0 ? " " : ",") + std::to_string(request.ranges[i].lba.value) + "+" +
                std::to_string(request.ranges[i].sectors);
    }
    text += request.fua ? " FUA" : "";
    text += request.queue_depth > 0 ? " qd=" + std::to_string(request.queue_depth) : "";
    if (!request.content.empty() && request.content_layout != ContentLayout{}) {
        text += " first=" + std::to_string(request.content_layout.first_sectors);
        text += request.content_layout.first_index > 0
                    ? "@" + std::to_string(request.content_layout.first_index)
                    : "";
    }
    for (std::size_t i = 0; i < request.content.size(); ++i) {
        text += (i == 0 ? " ids=" : ",") + std::to_string(request.content[i]);
    }
    return text;
}

using Lines = std::vector<std::string>;

inline Lines read_all(RequestSource& source) {
    Lines lines;
    Request request;
    while (source.next(request)) {
        lines.push_back(describe(request));
    }
    return lines;
}

inline Lines read_all(const TraceOptions& options) {
    return read_all(*open_trace(options));
}

/// The requests of a trace with these contents; `options.path` is set to the file.
inline Lines requests_of(std::string_view contents, TraceOptions options = {}) {
    const TempFile file(contents);
    options.path = file.path();
    return read_all(options);
}

/// Names of all formats, as messages list them.
inline std::string format_names() {
    std::string names;
    for (const Format* format : formats()) {
        names += (names.empty() ? "" : ", ") + std::string(format->name);
    }
    return names;
}

/// The InputError of reading the trace, with the file's path replaced by "FILE"; "" if there is none.
inline std::string error_of(std::string_view contents, TraceOptions options = {}) {
    const TempFile file(contents);
    options.path = file.path();
    try {
        read_all(options);
    } catch (const InputError& error) {
        std::string text = error.what();
        for (std::size_t at = text.find(file.path()); at != std::string::npos; at = text.find(file.path())) {
            text.replace(at, file.path().size(), "FILE");
        }
        return text;
    }
    return {};
}

inline TraceOptions with_format(std::string format) {
    TraceOptions options;
    options.format = std::move(format);
    return options;
}

}  // namespace solidtlm::testbench
