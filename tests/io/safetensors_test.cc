#include "tandem/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::byte> file_with(std::string_view header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

TEST(SafetensorsTest, ReadsBackWhatItWrote) {
  const Tensors tensors = {{"a", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"b", {{}, {7}}}, {"c", {{0}, {}}}};
  const auto read = decode_safetensors(encode_safetensors(tensors), "file");
  ASSERT_EQ(read.size(), 3);
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(read.at(name).shape, tensor.shape);
    EXPECT_EQ(read.at(name).values, tensor.values);
  }
}

TEST(SafetensorsTest, ReadsAForeignFileWithMetadata) {
  const auto bytes = file_with(R"({"__metadata__":{"by":"hand"},
    "x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                               8);
  EXPECT_EQ(decode_safetensors(bytes, "file").at("x").values, std::vector<float>(2));
}

TEST(SafetensorsTest, InvalidFilesAreNamed) {
  const std::pair<std::vector<std::byte>, const char*> cases[] = {
      {std::vector<std::byte>(3), "too short"},
      {std::vector<std::byte>(8, std::byte{0xff}), "header is truncated"},
      {file_with("{", 0), "not valid JSON"},
      {file_with(R"({"x":{"dtype":"F32"}})", 0), "shape"},
      {file_with(R"({"x":7})", 0), "not a valid"},
      {file_with(R"({"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", 2), "BF16"},
      {file_with(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4), "beyond the end"},
      {file_with(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "beyond the end"},
      {file_with(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8), "its shape"},
      {file_with(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), "negative"},
      {file_with(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
                 0),
       "too large"},
      {file_with(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8), "header lists"},
      {file_with(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                     "y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                 4),
       "header lists"},
  };
  for (const auto& [bytes, what] : cases) {
    EXPECT_THAT(error_of([&bytes = bytes] { decode_safetensors(bytes, "the/file"); }),
                AllOf(HasSubstr("the/file"), HasSubstr(what)));
  }
}

TEST(SafetensorsTest, ATensorWithoutItsValuesIsABug) {
  EXPECT_THROW(encode_safetensors({{"a", {{2}, {1}}}}), std::invalid_argument);
}

}  // namespace
}  // namespace tandem
