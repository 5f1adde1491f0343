// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/zstd_stream.h"

#include <zstd.h>

#include <new>
#include <utility>

namespace solidtlm::testbench {
namespace {

constexpr int kLevel = 1;  // most of a drive does not compress; the rest does at any level
/// Lines repeat what stood a line before: more entries find no more, and 2^12 stay in the nearest cache.
constexpr int kHashLogOfLines = 12;

template <class Context>
Context* required(Context* context) {
    if (context == nullptr) {
        throw std::bad_alloc();
    }
    return context;
}

}  // namespace

ZstdOutput::ZstdOutput(std::function<void(std::string_view)> sink, Of contents)
    : sink_(std::move(sink)),
      context_(required(ZSTD_createCCtx())),
      plain_(ZSTD_CStreamInSize()),
      compressed_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
    if (contents == Of::lines) {
        ZSTD_CCtx_setParameter(context_, ZSTD_c_hashLog, kHashLogOfLines);
    }
    setp(plain_.data(), plain_.data() + plain_.size());
}

ZstdOutput::~ZstdOutput() {
    ZSTD_freeCCtx(context_);
}

void ZstdOutput::finish() {
    compress(true);
}

ZstdOutput::int_type ZstdOutput::overflow(int_type next) {
    compress(false);
    if (!traits_type::eq_int_type(next, traits_type::eof())) {
        sputc(traits_type::to_char_type(next));
    }
    return traits_type::not_eof(next);
}

std::streamsize ZstdOutput::xsputn(const char* bytes, std::streamsize count) {
    if (count < epptr() - pptr()) {
        return std::streambuf::xsputn(bytes, count);
    }
    compress(false);
    compress({bytes, static_cast<std::size_t>(count)}, false);
    return count;
}

void ZstdOutput::compress(bool last) {
    compress({pbase(), static_cast<std::size_t>(pptr() - pbase())}, last);
    setp(plain_.data(), plain_.data() + plain_.size());
}

void ZstdOutput::compress(std::string_view bytes, bool last) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
        ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
        left = ZSTD_compressStream2(context_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        sink_({compressed_.data(), out.pos});
    } while (last ? left != 0 : in.pos < in.size);
}

ZstdInput::ZstdInput(std::function<std::size_t(std::span<char>)> source)
    : source_(std::move(source)),
      context_(required(ZSTD_createDCtx())),
      plain_(ZSTD_DStreamOutSize()),
      compressed_(ZSTD_DStreamInSize()) {}

ZstdInput::~ZstdInput() {
    ZSTD_freeDCtx(context_);
}

ZstdInput::int_type ZstdInput::underflow() {
    ZSTD_outBuffer out{plain_.data(), plain_.size(), 0};
    while (out.pos == 0) {
        if (at_ == end_) {
            at_ = 0;
            end_ = source_(compressed_);
        }
        ZSTD_inBuffer in{compressed_.data(), end_, at_};
        const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
        const bool stuck = in.pos == at_ && out.pos == 0;
        at_ = in.pos;
        if (ZSTD_isError(status) != 0U || stuck) {
            return traits_type::eof();
        }
    }
    setg(plain_.data(), plain_.data(), plain_.data() + out.pos);
    return traits_type::to_int_type(*gptr());
}

}  // namespace solidtlm::testbench
