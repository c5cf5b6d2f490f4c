// Catch as in Osband et al., "Behaviour suite for reinforcement learning" (2020), shown in pixels.
#include <algorithm>
#include <cstring>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/canvas.h"

namespace tandem {
namespace {

constexpr std::int32_t kRows = 10;
constexpr std::int32_t kColumns = 5;

class Catch : public Env {
 public:
  explicit Catch(const BuiltinOptions& options)
      : size_(options.size),
        paddles_(static_cast<std::size_t>(options.players)),
        rewards_(paddles_.size()) {
    spec_ = {.dtype = DType::u8,
             .frame_shape = {1, size_, size_},
             .stack = options.stack,
             .num_actions = 3,
             .action_names = {"left", "stay", "right"},
             .render_fps = 10,
             .agents = options.players};
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frames) override {
    ball_row_ = 0;
    ball_column_ = static_cast<std::int32_t>(stream.below(kColumns));
    std::ranges::fill(paddles_, kColumns / 2);
    show(frames);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frames) override {
    if (ball_row_ >= kRows - 1) throw Error("the episode of catch has ended; reset it first");
    for (std::size_t player = 0; player < paddles_.size(); ++player) {
      paddles_[player] =
          std::clamp(paddles_[player] + actions[player].discrete - 1, 0, kColumns - 1);
    }
    ++ball_row_;
    show(frames);
    const bool over = ball_row_ == kRows - 1;
    for (std::size_t player = 0; player < paddles_.size(); ++player) {
      const float caught = paddles_[player] == ball_column_ ? 1.0F : -1.0F;
      rewards_[player] = over ? caught : 0.0F;
    }
    return {.reward = rewards_.front(), .terminated = over, .game_over = over, .rewards = rewards_};
  }

  void save(StateWriter& writer) const override {
    writer.put(ball_row_);
    writer.put(ball_column_);
    for (const auto paddle : paddles_) writer.put(paddle);
  }
  void load(StateReader& reader) override {
    ball_row_ = reader.get<std::int32_t>();
    ball_column_ = reader.get<std::int32_t>();
    for (auto& paddle : paddles_) paddle = reader.get<std::int32_t>();
    const auto column = [](std::int32_t place) { return place >= 0 && place < kColumns; };
    if (ball_row_ >= 0 && ball_row_ < kRows && column(ball_column_) &&
        std::ranges::all_of(paddles_, column)) {
      return;
    }
    throw Error("the saved state of catch is damaged: a place is outside the picture");
  }

  [[nodiscard]] Picture render() const override {
    constexpr int kCell = 32;
    Canvas canvas(kColumns * kCell, kRows * kCell, {0, 0, 0});
    const auto cell = [&](int row, int column, const Color& color) {
      canvas.rectangle(column * kCell, row * kCell, (column + 1) * kCell, (row + 1) * kCell, color);
    };
    for (const auto paddle : paddles_) cell(kRows - 1, paddle, {80, 160, 255});
    cell(ball_row_, ball_column_, {255, 255, 255});
    return canvas.picture();
  }

 private:
  /// Each player sees the ball and its own paddle.
  void show(std::span<std::byte> frames) const {
    std::memset(frames.data(), 0, frames.size());
    const auto bytes = spec_.frame_bytes();
    for (std::size_t player = 0; player < paddles_.size(); ++player) {
      const auto frame = frames.subspan(player * bytes, bytes);
      light(frame, ball_row_, ball_column_);
      light(frame, kRows - 1, paddles_[player]);
    }
  }

  // Lights the pixels of a cell.
  void light(std::span<std::byte> frame, std::int64_t row, std::int64_t column) const {
    const auto left = column * size_ / kColumns;
    const auto right = (column + 1) * size_ / kColumns;
    for (auto y = row * size_ / kRows; y < (row + 1) * size_ / kRows; ++y) {
      std::memset(&frame[static_cast<std::size_t>(y * size_ + left)], 0xff,
                  static_cast<std::size_t>(right - left));
    }
  }

  EnvSpec spec_;
  std::int64_t size_;
  std::int32_t ball_row_ = 0;
  std::int32_t ball_column_ = 0;
  std::vector<std::int32_t> paddles_;  // by player: the column
  std::vector<float> rewards_;         // by player
};

}  // namespace

std::unique_ptr<Env> make_catch(const BuiltinOptions& options) {
  return std::make_unique<Catch>(options);
}

}  // namespace tandem
