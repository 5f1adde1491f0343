// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/device_pages.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace solidtlm::testbench::btree {

void DevicePages::Copy::read(PageId page, std::span<std::byte> bytes) {
    MemoryPages::read(page, bytes);
    requests_.push_back({{false, page}, {bytes.begin(), bytes.end()}});
}

void DevicePages::Copy::write(PageId page, std::span<const std::byte> bytes) {
    MemoryPages::write(page, bytes);
    requests_.push_back({{true, page}, {bytes.begin(), bytes.end()}});
}

DevicePages::DevicePages(const Load& load)
    : load_(load), copy_(load.page_bytes, waiting_), read_back_(load.page_bytes), inserter_(load, copy_) {}

bool DevicePages::next(Request& request) {
    while (waiting_.empty() && inserter_.step()) {
    }
    if (waiting_.empty() && !std::exchange(reading_back_, true)) {
        read_everything();
    }
    if (waiting_.empty()) {
        return false;
    }
    PageRequest& page = waiting_.front();
    request.clear();
    request.operation = page.io.write ? Operation::write : Operation::read;
    request.sectors = load_.page_bytes / hal::kSectorBytes;
    request.lba = Lba{page.io.page.value * request.sectors};
    given_.push_back(std::move(page));
    waiting_.pop_front();
    return true;
}

void DevicePages::read_everything() {
    for (std::uint32_t page = 0; page < inserter_.root().pages; ++page) {
        const std::span<const std::byte> bytes = copy_.bytes(PageId{page});
        waiting_.push_back({{false, PageId{page}}, {bytes.begin(), bytes.end()}});
    }
}

void DevicePages::issued(Command& command) {
    if (command.operation == Operation::write) {
        command.content = given_.front().bytes;
    }
}

void DevicePages::completed(Command& command) {
    const PageRequest page = std::move(given_.front());
    given_.pop_front();
    if (page.io.write || command.status != CommandStatus::ok) {
        return;
    }
    ++counts_.reads_checked;
    for (std::size_t at = 0; at < page.bytes.size(); at += hal::kSectorBytes) {
        const bool same =
            command.content.size() == page.bytes.size() &&
            std::memcmp(page.bytes.data() + at, command.content.data() + at, hal::kSectorBytes) == 0;
        counts_.mismatches += same ? 0 : 1;
    }
    if (reading_back_) {
        ++pages_back_;
        read_back_.write(page.io.page, command.content);
    }
}

void DevicePages::finished() {
    if (counts_.mismatches > 0) {
        faults_.push_back(
            fmt::format("{} sectors of the tree did not read back what was written", counts_.mismatches));
        return;  // what came back may be no tree at all
    }
    if (pages_back_ < inserter_.root().pages) {
        faults_.push_back(fmt::format("{} of {} pages came back", pages_back_, inserter_.root().pages));
        return;
    }
    const std::string wrong = check_tree(load_, inserter_.root(), read_back_);
    if (!wrong.empty()) {
        faults_.push_back("the tree read back from the drive: " + wrong);
    }
}

}  // namespace solidtlm::testbench::btree
