// SPDX-License-Identifier: Apache-2.0
//
// A B+-tree whose pages lie on a simulated drive. The tree makes its requests one insert at a time; page p is
// the sectors from p times its size on.
//
// The tree itself works on a copy in memory, because a source of requests cannot wait for an answer. Nothing
// is taken on trust for that: every page that the drive returns is compared with the copy byte by byte as it
// is read, and at the end all pages are read once more, a tree is opened on what came back, and every key is
// looked for in it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "testbench/run/simulation.h"
#include "testbench/workload/btree/load.h"

namespace solidtlm::testbench::btree {

/// Requests and their contents. REQUIRES: content mode `bytes`, requests served in order, one at a time.
class DevicePages : public RequestSource, public ContentKeeper {
  public:
    explicit DevicePages(const Load& load);

    bool next(Request& request) override;

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override;

    [[nodiscard]] VerifyCounts counts() const override { return counts_; }
    [[nodiscard]] std::vector<std::string> faults() const override { return faults_; }
    [[nodiscard]] const Inserter& inserter() const { return inserter_; }

  private:
    struct PageRequest {
        PageIo io;
        std::vector<std::byte> bytes;  ///< what is written, or must be read
    };
    /// The copy in memory; makes a request of everything asked of it.
    class Copy : public MemoryPages {
      public:
        Copy(std::uint32_t page_bytes, std::deque<PageRequest>& requests)
            : MemoryPages(page_bytes), requests_(requests) {}
        void read(PageId page, std::span<std::byte> bytes) override;
        void write(PageId page, std::span<const std::byte> bytes) override;

      private:
        std::deque<PageRequest>& requests_;
    };

    void read_everything();

    Load load_;
    std::deque<PageRequest> waiting_;
    std::deque<PageRequest> given_;  ///< to the host, not completed
    Copy copy_;
    MemoryPages read_back_;
    Inserter inserter_;
    bool reading_back_ = false;
    std::uint32_t pages_back_ = 0;
    VerifyCounts counts_;
    std::vector<std::string> faults_;
};

}  // namespace solidtlm::testbench::btree
