// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/qtest.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <charconv>
#include <sstream>
#include <vector>

#include "fw/hal/horizon.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::testbench {
namespace {

using Words = std::vector<std::string>;

/// The line is answered with FAIL and this text.
struct QtestFailure {
    std::string reason;
};

std::uint64_t number_of(const std::string& word) {
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    const int base = hex ? 16 : word.size() > 1 && word.front() == '0' ? 8 : 10;
    const char* begin = word.data() + (hex ? 2 : 0);
    const char* end = word.data() + word.size();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value, base);
    if (error != std::errc() || stop != end) {
        throw QtestFailure{"not a number: " + word};
    }
    return value;
}

std::uint64_t length_of(const std::string& word) {
    const std::uint64_t length = number_of(word);
    if (length == 0 || length > kMostQtestBytes) {
        throw QtestFailure{"a length of 1 to " + std::to_string(kMostQtestBytes)};
    }
    return length;
}

/// Access width in bytes for the letters b, w, l and q.
std::size_t width_of(char letter) {
    return letter == 'b' ? 1 : letter == 'w' ? 2 : letter == 'l' ? 4 : 8;
}

void require_words(const Words& words, std::size_t count) {
    if (words.size() != count) {
        throw QtestFailure{words.front() + " takes " + std::to_string(count - 1) + " words"};
    }
}

std::vector<std::byte> bytes_of(const std::string& hex, std::size_t length) {
    if (!hex.starts_with("0x") || hex.size() % 2 != 0 || hex.size() / 2 - 1 > length) {
        throw QtestFailure{"the bytes are 0x and two digits each, no more than the length"};
    }
    std::vector<std::byte> bytes(length);
    for (std::size_t i = 2; i < hex.size(); i += 2) {
        unsigned value = 0;
        const auto [stop, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
        if (error != std::errc() || stop != hex.data() + i + 2) {
            throw QtestFailure{"not hexadecimal: " + hex.substr(i, 2)};
        }
        bytes[i / 2 - 1] = static_cast<std::byte>(value);
    }
    return bytes;
}

void require_taken(bool taken) {
    if (!taken) {
        throw QtestFailure{"the machine refuses the access"};
    }
}

std::string load_number(QtestMachine& machine, const Words& words) {
    require_words(words, 2);
    std::array<std::byte, 8> bytes{};
    const std::size_t width = width_of(words.front().back());
    require_taken(machine.load(number_of(words[1]), std::span(bytes).first(width)));
    return fmt::format("OK 0x{:016x}", hw::get_little_endian(std::span(bytes).first(width)));
}

void store_number(QtestMachine& machine, const Words& words) {
    require_words(words, 3);
    std::array<std::byte, 8> bytes{};
    hw::put_little_endian(bytes, number_of(words[2]));
    require_taken(machine.store(number_of(words[1]), std::span(bytes).first(width_of(words.front().back()))));
}

std::string load_bytes(QtestMachine& machine, const Words& words) {
    require_words(words, 3);
    std::vector<std::byte> bytes(length_of(words[2]));
    require_taken(machine.load(number_of(words[1]), bytes));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "OK 0x";
    text.reserve(text.size() + 2 * bytes.size());
    for (const std::byte byte : bytes) {
        text += kDigits[std::to_integer<std::size_t>(byte >> 4U)];
        text += kDigits[std::to_integer<std::size_t>(byte & std::byte{0xF})];
    }
    return text;
}

std::string carry_out(QtestMachine& machine, const Words& words) {
    const std::string& command = words.front();
    if (command == "clock_step") {
        std::optional<std::uint64_t> ns;
        if (words.size() > 1) {
            require_words(words, 2);
            ns = number_of(words[1]);
            if (*ns > kMostQtestNs) {
                throw QtestFailure{"a step of at most " + std::to_string(kMostQtestNs) + " ns"};
            }
        }
        const auto now_ns = machine.step(ns);
        if (!now_ns) {
            throw QtestFailure{fmt::format("a step that ends after {}", hal::kHorizonText)};
        }
        return fmt::format("OK {}", *now_ns);
    }
    if (command == "read") {
        return load_bytes(machine, words);
    }
    const auto with_width = [&](std::string_view name) {
        return command.size() == name.size() + 1 && command.starts_with(name) &&
               std::string_view("bwlq").find(command.back()) != std::string_view::npos;
    };
    if (with_width("read")) {
        return load_number(machine, words);
    }
    if (with_width("write")) {
        store_number(machine, words);
    } else if (command == "write") {
        require_words(words, 4);
        require_taken(machine.store(number_of(words[1]), bytes_of(words[3], length_of(words[2]))));
    } else if (command == "memset") {
        require_words(words, 4);
        const std::vector<std::byte> bytes(length_of(words[2]), static_cast<std::byte>(number_of(words[3])));
        require_taken(machine.store(number_of(words[1]), bytes));
    } else {
        throw QtestFailure{"unknown command " + command};
    }
    return "OK";
}

}  // namespace

std::string answer_qtest(QtestMachine& machine, std::string_view line) {
    std::istringstream input{std::string(line)};
    Words words;
    for (std::string word; input >> word;) {
        words.push_back(word);
    }
    if (words.empty()) {
        return "FAIL an empty line";
    }
    try {
        return carry_out(machine, words);
    } catch (const QtestFailure& failure) {
        return "FAIL " + failure.reason;
    }
}

}  // namespace solidtlm::testbench
