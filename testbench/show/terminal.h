// SPDX-License-Identifier: Apache-2.0
//
// The capabilities of the terminal or file that text goes to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

/// How text is written. The default suits a file or a pipe.
struct TextStyle {
    std::size_t width = 100;  ///< columns, at least 80
    bool colour = false;
    bool unicode = false;  ///< may use micro sign and block characters; otherwise ASCII only

    [[nodiscard]] std::string_view us() const { return unicode ? "\u00b5s" : "us"; }
    /// `text` between the escape sequences of an attribute, or unchanged if the style has no colour.
    [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
    [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
    [[nodiscard]] std::string red(std::string_view text) const { return paint("31", text); }
    [[nodiscard]] std::string green(std::string_view text) const { return paint("32", text); }
    [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33", text); }

  private:
    [[nodiscard]] std::string paint(std::string_view attribute, std::string_view text) const;
};

/// The style for a file descriptor. A terminal: its width, colour unless the environment variable NO_COLOR is
/// set, and Unicode if the locale is UTF-8. Otherwise: plain text.
[[nodiscard]] TextStyle style_for(int descriptor);

[[nodiscard]] bool is_terminal(int descriptor);

/// Columns of a UTF-8 text without escape sequences and wide characters.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// `value` with `decimals` digits after the point and commas between thousands: 12,345.6.
[[nodiscard]] std::string grouped(double value, int decimals);

/// Bytes in decimal units with about three significant digits: 12.3 MB.
[[nodiscard]] std::string bytes_text(double bytes);
/// Three significant digits with an SI prefix from p to T: "4.12 J", "32.3 uJ".
[[nodiscard]] std::string si_text(double value, std::string_view unit);

}  // namespace solidtlm::testbench
