// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

class Sha256 {
  public:
    static constexpr std::size_t kBytes = 32;

    Sha256() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
    void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
    /// The digest of all bytes added, in kBytes. No bytes may be added afterwards.
    [[nodiscard]] std::string digest() {
        std::string bytes(kBytes, '\0');
        EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(bytes.data()), nullptr);
        return bytes;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace solidtlm::testbench
