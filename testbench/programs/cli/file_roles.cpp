// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/file_roles.h"

#include <system_error>

#include "testbench/sim/files/output_file.h"
#include "testbench/sim/files/streamed_file.h"

namespace solidtlm::testbench {

namespace fs = std::filesystem;

bool same_file(const fs::path& one, const fs::path& other) {
    std::error_code error;
    return fs::weakly_canonical(fs::absolute(one, error), error) ==
           fs::weakly_canonical(fs::absolute(other, error), error);
}

void check_writable(const fs::path& file, Errors& errors) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
        return;  // a pipe or a device cannot be tried: it is opened once, when it is written
    }
    try {
        const StreamedFile probe(file);
    } catch (const OutputError& failure) {
        errors.emplace_back(failure.what());
    }
}

FileRoles::FileRoles(const CommandLine& line) {
    for (const fs::path& file : line.sources.files) {
        reads("--config", file);
    }
    for (const std::string& trace : line.traces) {
        reads("--trace", trace);
    }
    if (!line.out.empty()) {
        writes("--out", line.out / kResultFile);
        writes("--out", line.out / kReportFile);
    }
    writes("--vcd", line.record.vcd);
    if (!line.record.vcd.empty()) {
        writes("--vcd", gtkwave_save_path(line.record.vcd));
    }
    writes("--timeline", line.record.timeline);
    writes("--commands", line.record.commands);
    writes("--decisions", line.record.decisions);
    if (!line.record.fio_log.empty()) {
        for (const fs::path& log : fio_log_paths(line.record.fio_log)) {
            writes("--fio-log", log);
        }
    }
    if (!line.load_state.empty() && !same_file(line.load_state, line.save_state)) {
        // a file may be loaded and replaced by the same run, because it is written at the end
        reads("--load-state", line.load_state);
    }
    writes("--save-state", line.save_state);
}

void FileRoles::add(const std::string& option, const fs::path& file, bool written) {
    if (!file.empty()) {
        roles_.push_back({option, file, written});
    }
}

Errors FileRoles::clashes() const {
    Errors errors;
    for (auto role = roles_.begin(); role != roles_.end(); ++role) {
        for (auto before = roles_.begin(); before != role; ++before) {
            if ((role->written || before->written) && role->option != before->option &&
                same_file(role->file, before->file)) {
                errors.push_back(role->option + ": found " + role->file.string() +
                                 "; allowed: another file than those of " + before->option);
                break;
            }
        }
    }
    return errors;
}

}  // namespace solidtlm::testbench
