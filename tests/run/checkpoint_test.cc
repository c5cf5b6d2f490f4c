#include "tandem/run/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/sha256.h"
#include "tandem/io/files.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Checkpoint sample(float seed = 1) {
  std::vector<float> weights(12);
  std::iota(weights.begin(), weights.end(), seed);
  Checkpoint checkpoint;
  checkpoint.add_tensor("policy.weight", {3, 4}, weights);
  checkpoint.add_tensor("scale", {}, std::vector{seed});
  checkpoint.add_tensor("none", {0, 5}, {});
  checkpoint.add_blob("envs", std::vector<std::byte>(3'000'000, std::byte{7}));
  checkpoint.add_blob("key", {std::byte{1}, std::byte{2}});
  checkpoint.add_blob("empty", {});
  checkpoint.meta["run"] = {{"seed", seed}};
  return checkpoint;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void overwrite(const fs::path& file, const std::vector<std::byte>& bytes) {
  OutputFile(file, OutputFile::Mode::replace).write(bytes);
}

class CheckpointTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path checkpoints() const { return folder_.path() / "checkpoints"; }
  FoundCheckpoint latest() {
    return find_latest(checkpoints(), [&](const std::string& w) { warnings_.push_back(w); });
  }
  fs::path write(std::int64_t step) {
    return write_checkpoint(sample(static_cast<float>(step)), checkpoints(), step);
  }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(CheckpointTest, ReadsBackWhatWasWritten) {
  const auto folder = write(42);
  const auto read = read_checkpoint(folder);
  const auto expected = sample(42);
  EXPECT_EQ(read.blobs, expected.blobs);
  EXPECT_EQ(read.meta, expected.meta);
  ASSERT_EQ(read.tensors.size(), expected.tensors.size());
  for (const auto& [name, tensor] : expected.tensors) {
    EXPECT_EQ(read.tensors.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(read.tensors.at(name).values, tensor.values) << name;
  }
}

// Seen failing when a piece's stored length was that of its uncompressed bytes.
TEST_F(CheckpointTest, BringsBackWhatComesInPieces) {
  const std::vector<std::vector<std::byte>> pieces = {
      {}, std::vector<std::byte>(100'000, std::byte{3}), {std::byte{1}, std::byte{2}}};
  auto checkpoint = sample();
  checkpoint.pieces["replay"] = [&](const TakePiece& take) {
    for (const auto& piece : pieces) take(piece);
  };
  const auto folder = write_checkpoint(checkpoint, checkpoints(), 5);
  std::vector<std::vector<std::byte>> read;
  read_checkpoint(folder).pieces.at("replay")(
      [&](std::span<const std::byte> piece) { read.emplace_back(piece.begin(), piece.end()); });
  EXPECT_EQ(read, pieces);
  EXPECT_LT(fs::file_size(folder / "replay.pieces"), 1000U);
}

// Seen failing when the pieces that had come stayed as a replay that no run could restore.
TEST_F(CheckpointTest, LeavesOutPiecesWhoseSourceIsLost) {
  auto checkpoint = sample();
  checkpoint.pieces["replay"] = [](const TakePiece& take) {
    take(std::vector<std::byte>(1000, std::byte{3}));
    throw PiecesLost();
  };
  const auto folder = write_checkpoint(checkpoint, checkpoints(), 5);
  EXPECT_TRUE(read_checkpoint(folder).pieces.empty());
  EXPECT_FALSE(fs::exists(folder / "replay.pieces"));
}

TEST_F(CheckpointTest, PiecesThatWereChangedOrCutAreDamage) {
  auto checkpoint = sample();
  checkpoint.pieces["replay"] = [](const TakePiece& take) {
    take(std::vector<std::byte>(1000, std::byte{3}));
  };
  const auto file = write_checkpoint(checkpoint, checkpoints(), 5) / "replay.pieces";
  const auto whole = read_file(file);
  for (const std::size_t at : {0UL, 3UL, 9UL, whole.size() - 1}) {
    auto changed = whole;
    changed[at] ^= std::byte{16};
    overwrite(file, changed);
    EXPECT_THROW(latest(), Error) << at;
    changed = whole;
    changed.resize(at);
    overwrite(file, changed);
    EXPECT_THROW(latest(), Error) << at;
  }
}

TEST_F(CheckpointTest, DamagedPiecesMatterOnlyToThoseWhoReadThem) {
  auto checkpoint = sample();
  checkpoint.pieces["replay"] = [](const TakePiece& take) { take({}); };
  const auto folder = write_checkpoint(checkpoint, checkpoints(), 5);
  overwrite(folder / "replay.pieces", {});
  EXPECT_THROW(latest(), Error);
  constexpr auto kNeeded = Contents::without_pieces;
  const auto found = find_latest(
      checkpoints(), [](const std::string& warning) { ADD_FAILURE() << warning; }, kNeeded);
  EXPECT_EQ(found.checkpoint.blobs, checkpoint.blobs);
  EXPECT_THAT(found.checkpoint.pieces, IsEmpty());
  EXPECT_EQ(find_at_step(checkpoints(), 5, kNeeded).checkpoint.meta, checkpoint.meta);
}

TEST_F(CheckpointTest, CompressesABlobWhereThatHelps) {
  EXPECT_THAT(names_in(write(1)),
              ElementsAre("empty.bin", "envs.bin.zst", "key.bin", "manifest.json", "state.json",
                          "tensors.safetensors"));
}

TEST_F(CheckpointTest, NamesWhatIsMissing) {
  const auto checkpoint = sample();
  EXPECT_THAT(error_of([&] { (void)checkpoint.tensor("value.bias"); }), HasSubstr("value.bias"));
  EXPECT_THAT(error_of([&] { (void)checkpoint.blob("replay"); }), HasSubstr("replay"));
  EXPECT_THAT(error_of([&] { (void)checkpoint.part("learner"); }), HasSubstr("learner"));
}

// Seen failing, by a crash, while the manifest was copied before it was checked.
TEST_F(CheckpointTest, ADeepManifestIsDamaged) {
  constexpr std::size_t kDepth = 200'000;
  const auto file = write(1) / "manifest.json";
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  OutputFile(file, OutputFile::Mode::replace)
      .write(R"({"files":{"a":)" + deep + R"(},"format":1})");
  EXPECT_THAT(error_of([&] { latest(); }), HasSubstr("damaged"));
  OutputFile(file, OutputFile::Mode::replace).write(R"({"files":{},"format":)" + deep + "}");
  EXPECT_THAT(error_of([&] { latest(); }), HasSubstr("damaged"));
  OutputFile(file, OutputFile::Mode::replace)
      .write(R"({"files":{"a":{"size":)" + deep + R"(}},"format":1})");
  EXPECT_THAT(error_of([&] { latest(); }), HasSubstr("damaged"));
}

// Seen failing, with the memory of 2^60 bytes asked for, while the size was taken as it is.
TEST_F(CheckpointTest, ABlobThatClaimsTooManyBytesIsDamaged) {
  auto checkpoint = sample();
  const std::vector<std::byte> claim = {
      std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd},
      std::byte{0xe0}, std::byte{0},    std::byte{0},    std::byte{0},
      std::byte{0},    std::byte{0},    std::byte{0},    std::byte{0},
      std::byte{0x10}, std::byte{1},    std::byte{0},    std::byte{0}};
  checkpoint.add_blob("envs", claim);
  const auto folder = write_checkpoint(checkpoint, checkpoints(), 1);
  ASSERT_TRUE(fs::exists(folder / "envs.bin"));
  fs::rename(folder / "envs.bin", folder / "envs.bin.zst");
  auto manifest = nlohmann::json::parse(as_text(read_file(folder / "manifest.json")));
  manifest.erase("sha256");
  manifest["files"]["envs.bin.zst"] = manifest["files"]["envs.bin"];
  manifest["files"].erase("envs.bin");
  const std::string text = manifest.dump();
  manifest["sha256"] = sha256_hex(std::as_bytes(std::span(text)));
  OutputFile(folder / "manifest.json", OutputFile::Mode::replace).write(manifest.dump(2) + "\n");
  EXPECT_THAT(error_of([&] { latest(); }), HasSubstr("does not decompress"));
}

TEST_F(CheckpointTest, OneOfTheSameStepIsReplaced) {
  write(1);
  write_checkpoint(sample(2), checkpoints(), 1);
  EXPECT_EQ(latest().checkpoint.meta.at("run").at("seed"), 2);
  EXPECT_THAT(names_in(checkpoints()), ElementsAre("000000000001"));
}

TEST_F(CheckpointTest, KeepsTheLastThree) {
  for (const auto step : {5, 10, 900, 1000, 20000}) write(step);
  EXPECT_THAT(names_in(checkpoints()), ElementsAre("000000000900", "000000001000", "000000020000"));
  EXPECT_EQ(latest().step, 20000);
}

TEST_F(CheckpointTest, RemovesWhatAKilledWriterLeft) {
  write(1);
  make_folder(checkpoints() / ".tmp-000000000002");
  overwrite(checkpoints() / ".tmp-000000000002" / "state.json", {});
  EXPECT_EQ(latest().step, 1);
  write(3);
  EXPECT_THAT(names_in(checkpoints()), ElementsAre("000000000001", "000000000003"));
}

TEST_F(CheckpointTest, AnyChangedByteIsDetected) {
  const auto folder = write(1);
  for (const auto& name : names_in(folder)) {
    const auto bytes = read_file(folder / name);
    std::fstream file(folder / name, std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](std::size_t place, std::byte value) {
      file.seekp(static_cast<std::streamoff>(place)).put(static_cast<char>(value)).flush();
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      put(i, bytes[i] ^ std::byte{1});
      EXPECT_THAT(error_of([&] { read_checkpoint(folder); }), HasSubstr((folder / name).string()))
          << "byte " << i;
      put(i, bytes[i]);
    }
  }
  EXPECT_NO_THROW(read_checkpoint(folder));
}

TEST_F(CheckpointTest, AnyTruncationIsDetected) {
  const auto folder = write(1);
  for (const auto& name : names_in(folder)) {
    const auto bytes = read_file(folder / name);
    for (auto size = bytes.size(); size-- > 0;) {
      fs::resize_file(folder / name, size);
      EXPECT_THAT(error_of([&] { read_checkpoint(folder); }), HasSubstr((folder / name).string()))
          << size << " bytes";
    }
    overwrite(folder / name, bytes);
  }
}

TEST_F(CheckpointTest, AMissingFileIsDetected) {
  const auto folder = write(1);
  for (const auto& name : names_in(folder)) {
    fs::rename(folder / name, folder / "elsewhere");
    EXPECT_THAT(error_of([&] { read_checkpoint(folder); }), HasSubstr((folder / name).string()));
    fs::rename(folder / "elsewhere", folder / name);
  }
}

TEST_F(CheckpointTest, ADamagedOneIsNamedAndTheOneBeforeItUsed) {
  write(1);
  write(2);
  const auto damaged = write(3) / "tensors.safetensors";
  overwrite(damaged, {std::byte{0}});
  EXPECT_EQ(latest().step, 2);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(damaged.string())));
}

TEST_F(CheckpointTest, ADamagedOneGoesWithTheNextGoodOne) {
  write(1);
  overwrite(write(9) / "manifest.json", {});
  write(5);
  EXPECT_THAT(names_in(checkpoints()), ElementsAre("000000000001", "000000000005"));
  overwrite(checkpoints() / "000000000005" / "manifest.json", {});
  write(5);
  EXPECT_EQ(latest().step, 5);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CheckpointTest, OneOfAnotherVersionIsNotPassedOver) {
  write(1);
  const auto file = write(2) / "manifest.json";
  auto manifest = nlohmann::json::parse(std::ifstream(file));
  manifest["format"] = 7;
  manifest.erase("sha256");
  const auto text = manifest.dump();
  manifest["sha256"] = sha256_hex(std::as_bytes(std::span(text)));
  OutputFile(file, OutputFile::Mode::replace).write(manifest.dump(2) + "\n");
  EXPECT_THAT(error_of([&] { latest(); }),
              AllOf(HasSubstr(file.string()), HasSubstr("has format 7"), HasSubstr("version")));
}

TEST_F(CheckpointTest, NoneGoodSaysWhatIsWrongWithEach) {
  const auto first = write(1) / "state.json";
  const auto second = write(2) / "manifest.json";
  overwrite(first, {});
  fs::remove(second);
  EXPECT_THAT(error_of([&] { latest(); }),
              AllOf(HasSubstr(first.string()), HasSubstr(second.string())));
}

TEST_F(CheckpointTest, NoneAtAllSaysSo) {
  EXPECT_THAT(error_of([&] { latest(); }), HasSubstr("no checkpoint"));
  overwrite(checkpoints(), {});
  EXPECT_THAT(error_of([&] { latest(); }),
              AllOf(HasSubstr(checkpoints().string()), HasSubstr("Not a directory")));
}

}  // namespace
}  // namespace tandem
