// A plug-in with one small environment, as docs/add_an_environment.md explains it: an agent looks
// for the right end of a corridor.
#include <algorithm>

#include "tandem/base/error.h"
#include "tandem/env/family.h"

namespace {

using namespace std::string_literals;

class Corridor : public tandem::Env {
 public:
  Corridor(int length, double slip) : length_(length), slip_(slip) {
    spec_.frame_shape = {length};  // one number a cell: 1 at the agent's place
    spec_.num_actions = 2;
    spec_.action_names = {"left", "right"};
  }

  [[nodiscard]] const tandem::EnvSpec& spec() const override { return spec_; }

  void reset(tandem::Stream& stream, std::span<std::byte> frame) override {
    cell_ = static_cast<int>(stream.below(length_ / 2));
    steps_ = 0;
    show(frame);
  }

  tandem::StepResult step(std::span<const tandem::Action> actions, tandem::Stream& stream,
                          std::span<std::byte> frame) override {
    const bool slips = stream.uniform() < slip_;
    const bool right = (actions.front().discrete == 1) != slips;
    cell_ = std::clamp(cell_ + (right ? 1 : -1), 0, length_ - 1);
    ++steps_;
    show(frame);

    const bool at_end = cell_ == length_ - 1;
    const bool out_of_time = !at_end && steps_ == 4 * length_;
    return {.reward = at_end ? 1.0F : 0.0F,
            .terminated = at_end,
            .truncated = out_of_time,
            .game_over = at_end || out_of_time};
  }

  void save(tandem::StateWriter& writer) const override {
    writer.put(cell_);
    writer.put(steps_);
  }

  void load(tandem::StateReader& reader) override {
    cell_ = reader.get<int>();
    steps_ = reader.get<int>();
  }

  [[nodiscard]] tandem::Picture render() const override {
    constexpr int kCell = 16;  // pixels
    tandem::Picture picture{.width = kCell * length_, .height = kCell, .rgb = {}};
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) {
        picture.rgb.insert(picture.rgb.end(), 3, x / kCell == cell_ ? 255 : 40);
      }
    }
    return picture;
  }

 private:
  void show(std::span<std::byte> frame) const {
    std::ranges::fill(frame, std::byte{0});
    constexpr float kHere = 1;
    std::memcpy(&frame[cell_ * sizeof(kHere)], &kHere, sizeof(kHere));
  }

  tandem::EnvSpec spec_;
  int length_;
  double slip_;
  int cell_ = 0;
  int steps_ = 0;
};

class CorridorFamily : public tandem::EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"long", "short"}; }

  [[nodiscard]] tandem::FieldList fields() override {
    return {{.key = "slip",
             .target = &slip_,
             .meaning = "probability that a step goes the other way",
             .least = 0,
             .most = 1}};
  }

  [[nodiscard]] std::unique_ptr<tandem::Env> make(const std::string& name, std::uint64_t) override {
    if (name == "short") return std::make_unique<Corridor>(6, slip_);
    if (name == "long") return std::make_unique<Corridor>(30, slip_);
    throw tandem::Error("corridor: there is no corridor '"s + name + "'; use short or long");
  }

 private:
  double slip_ = 0.1;
};

std::unique_ptr<tandem::EnvFamily> create() { return std::make_unique<CorridorFamily>(); }

}  // namespace

extern "C" const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {
      .abi = tandem::kPluginAbi, .name = "corridor", .licence = "Apache-2.0", .create = create};
  return &kInfo;
}
