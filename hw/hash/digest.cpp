// SPDX-License-Identifier: Apache-2.0
#include "hw/hash/digest.h"

#include <zlib.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "hw/tlm/content.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw {
namespace {

void require(int openssl_result) {
    if (openssl_result != 1) {
        throw std::runtime_error("OpenSSL refuses MD5");
    }
}

}  // namespace

Digest::Digest() : md5_(EVP_MD_CTX_new()) {
    if (!md5_) {
        throw std::bad_alloc();
    }
}

void Digest::begin(hal::HashFunction function) {
    function_ = function;
    if (function == hal::HashFunction::crc32) {
        crc_ = static_cast<std::uint32_t>(::crc32(0, nullptr, 0));
    } else {
        require(EVP_DigestInit_ex(md5_.get(), EVP_md5(), nullptr));
    }
}

void Digest::add(std::span<const std::byte> data) {
    if (function_ == hal::HashFunction::crc32) {
        crc_ = static_cast<std::uint32_t>(
            ::crc32_z(crc_, reinterpret_cast<const unsigned char*>(data.data()), data.size()));
    } else {
        require(EVP_DigestUpdate(md5_.get(), data.data(), data.size()));
    }
}

Digest::Value Digest::end() {
    Value value{};
    if (function_ == hal::HashFunction::crc32) {
        put_little_endian(std::span(value).first(sizeof crc_), crc_);
    } else {
        unsigned int length = 0;
        require(EVP_DigestFinal_ex(md5_.get(), reinterpret_cast<unsigned char*>(value.data()), &length));
    }
    return value;
}

Digest::Value Digest::of(hal::HashFunction function, hal::ContentMode mode, const std::byte* content,
                         std::uint32_t bytes) {
    begin(function);
    if (mode == hal::ContentMode::bytes) {
        add({content, bytes});
        return end();
    }
    SectorContent sector;
    for (std::size_t i = 0; i < bytes / hal::kSectorBytes; ++i) {
        std::uint64_t identity = 0;
        std::memcpy(&identity, content + i * sizeof identity, sizeof identity);
        expand_content(identity, sector);
        add(sector);
    }
    return end();
}

}  // namespace solidtlm::hw
