// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/table_file.h"

#include <span>
#include <utility>

namespace solidtlm::testbench {

TableFile::TableFile(const std::filesystem::path& path, const TableColumns& columns)
    : columns_(columns.size()),
      file_(path),
      encoder_(make_table_encoder(path, columns, file_)),
      batch_(kBatchLines * columns_),
      handed_over_(batch_.size()),
      thread_([this](const std::stop_token& stop) { encode(stop); }) {}

TableFile::~TableFile() = default;

void TableFile::wait_until_written(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [this] { return to_write_ == 0; });
}

void TableFile::hand_over() {
    std::unique_lock lock(mutex_);
    wait_until_written(lock);
    batch_.swap(handed_over_);
    to_write_ = std::exchange(used_, 0);
    changed_.notify_all();
}

void TableFile::encode(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return to_write_ != 0; })) {
        lock.unlock();
        encoder_->write(std::span(handed_over_).first(to_write_));
        lock.lock();
        to_write_ = 0;
        changed_.notify_all();
    }
}

void TableFile::finish() {
    hand_over();
    std::unique_lock lock(mutex_);
    wait_until_written(lock);
    encoder_->finish();
    file_.finish();
}

}  // namespace solidtlm::testbench
