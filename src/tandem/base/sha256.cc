#include "tandem/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tandem/base/error.h"

namespace tandem {
namespace {

void require(int success) {
  if (success != 1) throw std::runtime_error("OpenSSL could not compute a SHA-256 hash");
}

}  // namespace

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> md{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->md.get(), EVP_sha256(), nullptr));
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->md.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest;
  require(EVP_DigestFinal_ex(context_->md.get(), digest.data(), nullptr));
  std::string digits;
  for (const auto byte : digest) digits += fmt::format("{:02x}", byte);
  return digits;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_hex_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0) {
    const auto count = static_cast<std::size_t>(stream.gcount());
    hash.add(std::as_bytes(std::span(buffer).first(count)));
  }
  if (!stream.eof()) {
    throw Error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  }
  return hash.hex();
}

}  // namespace tandem
