// SPDX-License-Identifier: Apache-2.0
//
// Byte access to a drive of sectors: requests of any offset and length become commands of whole sectors. A
// write that begins or ends within a sector reads that sector first. No other change is under way meanwhile,
// so another client's write to the same sector is not lost.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace solidtlm::testbench::disk {

constexpr std::uint32_t kSector = 512;

/// Moves whole sectors, at most `most_bytes` at a time. Thread-safe. Functions return 0 or a value of errno.
class SectorAccess {
  public:
    using Take = std::function<void(const std::byte*)>;
    using Put = std::function<void(std::byte*)>;

    virtual ~SectorAccess() = default;
    [[nodiscard]] virtual std::uint32_t most_bytes() const = 0;
    virtual int read(std::uint64_t offset, std::uint32_t bytes, const Take& take) = 0;
    virtual int write(std::uint64_t offset, std::uint32_t bytes, bool fua, const Put& put) = 0;
    /// `bytes` may be any number of sectors.
    virtual int trim(std::uint64_t offset, std::uint32_t bytes, bool fua) = 0;
    virtual int zero(std::uint64_t offset, std::uint32_t bytes, bool fua, bool may_trim) = 0;
};

/// Thread-safe. Functions return 0 or a value of errno.
class ByteAccess {
  public:
    /// `sectors` must outlive it.
    explicit ByteAccess(SectorAccess& sectors);
    ~ByteAccess();
    ByteAccess(const ByteAccess&) = delete;
    ByteAccess& operator=(const ByteAccess&) = delete;

    int read(std::byte* to, std::uint32_t count, std::uint64_t offset);
    int write(const std::byte* from, std::uint32_t count, std::uint64_t offset, bool fua);
    /// Sectors that are only partly covered are left alone.
    int trim(std::uint32_t count, std::uint64_t offset, bool fua);
    int zero(std::uint32_t count, std::uint64_t offset, bool fua, bool may_trim);

  private:
    int write_piece(const std::byte* from, std::uint32_t count, std::uint64_t offset, bool fua);

    SectorAccess& sectors_;
    /// Changes of whole sectors take this lock shared, so many may be under way at once. A change of part of
    /// a sector takes it exclusively; writers do not starve.
    pthread_rwlock_t changes_{};
};

}  // namespace solidtlm::testbench::disk
