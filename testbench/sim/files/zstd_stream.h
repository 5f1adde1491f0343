// SPDX-License-Identifier: Apache-2.0
//
// Standard streams that compress or decompress with zstd.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <streambuf>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace solidtlm::testbench {

class ZstdOutput : public std::streambuf {
  public:
    /// What is compressed. The choice changes the compressed bytes.
    enum class Of : std::uint8_t {
        anything,
        lines,  ///< of text
    };
    /// `sink` gets the compressed bytes, piece by piece.
    explicit ZstdOutput(std::function<void(std::string_view)> sink, Of contents = Of::anything);
    ~ZstdOutput() override;
    /// Ends the frame. Nothing may be written afterwards.
    void finish();

  protected:
    int_type overflow(int_type next) override;
    /// Many bytes at a time are compressed from where they are.
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;

  private:
    /// What is in plain_.
    void compress(bool last);
    void compress(std::string_view bytes, bool last);

    std::function<void(std::string_view)> sink_;
    ZSTD_CCtx_s* context_;
    std::vector<char> plain_;
    std::vector<char> compressed_;
};

class ZstdInput : public std::streambuf {
  public:
    /// `source` fills the buffer it is given and returns the number of bytes; fewer than its size only at the
    /// end.
    explicit ZstdInput(std::function<std::size_t(std::span<char>)> source);
    ~ZstdInput() override;

  protected:
    /// Also returns end of file if the bytes are not a zstd frame.
    int_type underflow() override;

  private:
    std::function<std::size_t(std::span<char>)> source_;
    ZSTD_DCtx_s* context_;
    std::vector<char> plain_;
    std::vector<char> compressed_;
    std::size_t at_ = 0;   // position in compressed_
    std::size_t end_ = 0;  // end of the data in compressed_
};

}  // namespace solidtlm::testbench
