#include "tandem/base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

#include "tandem/base/error.h"

namespace tandem {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// The examples of FIPS 180-2.
TEST(Sha256Test, KnownHashes) {
  EXPECT_EQ(sha256_hex(bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesGiveTheHashOfTheWhole) {
  Sha256 hash;
  hash.add(bytes("a"));
  hash.add(bytes("bc"));
  EXPECT_EQ(hash.hex(), sha256_hex(bytes("abc")));
}

TEST(Sha256Test, HashesFiles) {
  EXPECT_EQ(sha256_hex_of_file("/dev/null"), sha256_hex({}));
  EXPECT_THROW(sha256_hex_of_file("/no/such/file"), Error);
  EXPECT_THROW(sha256_hex_of_file("/"), Error);
}

}  // namespace
}  // namespace tandem
