// SPDX-License-Identifier: Apache-2.0
//
// Fits the addresses of a trace to a device of another size.
//
//  error  an address past the device is the user's mistake;
//  wrap   addresses modulo the device, rounded down to 4 KiB; a request across the end is split;
//  scale  addresses times device / trace extent, in units of 4 KiB; length and offset within 4 KiB stay. A
//         request that then reaches past the device moves down by whole units; a range of a trim is cut off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

enum class Fit : std::uint8_t { error, wrap, scale };
constexpr std::string_view kFitNames = "error, wrap, scale";

[[nodiscard]] std::optional<Fit> parse_fit(std::string_view text);

/// End of the highest sector range that the request touches (0 for a flush).
[[nodiscard]] std::uint64_t extent_of(const Request& request);

class AddressFitter {
  public:
    /// `device_sectors` 0: every address is accepted. Only Fit::scale uses `extent_sectors`.
    AddressFitter(Fit fit, std::uint64_t device_sectors, std::uint64_t extent_sectors);

    /// Changes the request so that it lies within the device. Pieces that had to be split off are put into
    /// `rest`, the last piece first. `where` is called only for an error message.
    template <class Where>
    void apply(Request& request, std::vector<Request>& rest, Where&& where) const {
        if (device_ == 0) {
            return;
        }
        if (fit_ == Fit::error) {
            if (extent_of(request) > device_) {
                fail(request, where());
            }
        } else if (fit_ == Fit::wrap) {
            wrap(request, rest);
        } else {
            scale(request);
        }
    }

  private:
    [[noreturn]] void fail(const Request& request, const std::string& where) const;
    void wrap(Request& request, std::vector<Request>& rest) const;
    void wrap_ranges(Request& request) const;
    void scale(Request& request) const;
    [[nodiscard]] std::uint64_t scaled(std::uint64_t lba) const;

    Fit fit_;
    std::uint64_t device_;
    std::uint64_t extent_;
    std::uint64_t modulus_;
};

}  // namespace solidtlm::testbench
