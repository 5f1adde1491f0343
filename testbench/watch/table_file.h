// SPDX-License-Identifier: Apache-2.0
//
// Tables that are written line by line during a run. The thread that simulates puts a line's numbers into a
// batch; a second thread brings full batches into the form of the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/types.h"
#include "testbench/sim/files/streamed_file.h"
#include "testbench/watch/table_encoder.h"

namespace solidtlm::testbench {

class TableFile {
  public:
    /// Throws OutputError. REQUIRES: is_table(path).
    TableFile(const std::filesystem::path& path, const TableColumns& columns);
    /// Without finish(), no file stays.
    ~TableFile();
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    /// Puts the file in its place. Throws OutputError.
    void finish();

  private:
    friend class TableLine;
    static constexpr std::size_t kBatchLines = 1000;

    void line_ends() {
        used_ += columns_;
        if (used_ == batch_.size()) {
            hand_over();
        }
    }
    /// Waits until the batch before has been written.
    void hand_over();
    void wait_until_written(std::unique_lock<std::mutex>& lock);
    /// Of the second thread.
    void encode(const std::stop_token& stop);

    std::size_t columns_;
    StreamedFile file_;
    std::unique_ptr<TableEncoder> encoder_;
    std::vector<std::uint64_t> batch_;
    std::size_t used_ = 0;  ///< of batch_

    std::vector<std::uint64_t> handed_over_;
    std::size_t to_write_ = 0;  ///< numbers of handed_over_; until it is 0, that belongs to the second thread
    std::mutex mutex_;          ///< of to_write_
    std::condition_variable_any changed_;  ///< to_write_
    std::jthread thread_;                  ///< ends before anything else is destroyed
};

/// A line as it grows. It is in the table when it has ended.
class TableLine {
  public:
    explicit TableLine(TableFile& file) : file_(file), at_(file.batch_.data() + file.used_) {}

    /// Whole numbers, truth values, times, and indices of a column's texts.
    template <class... Values>
    void numbers(const Values&... values) {
        ((*at_++ = number_of(values)), ...);
    }
    /// REQUIRES: every column has its value.
    void end() {
        SOLIDTLM_CHECK(at_ == file_.batch_.data() + file_.used_ + file_.columns_, "a value for each column");
        file_.line_ends();
    }

  private:
    static std::uint64_t number_of(std::uint64_t value) { return value; }
    static std::uint64_t number_of(hal::Ps value) { return static_cast<std::uint64_t>(value.count()); }
    template <class Name>
    requires std::is_enum_v<Name>
    static std::uint64_t number_of(Name value) { return static_cast<std::uint64_t>(value); }

    TableFile& file_;
    std::uint64_t* at_;
};

}  // namespace solidtlm::testbench
