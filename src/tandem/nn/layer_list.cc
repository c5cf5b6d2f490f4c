#include "tandem/nn/layer_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostUnits = 1 << 16;
constexpr std::int64_t kMostPixels = 1 << 10;  // of a kernel's side, or of a stride
constexpr std::int64_t kMostBlocks = 32;       // of a section
constexpr std::size_t kMostLayers = 32;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<Activation> activation_of(const std::string& word) {
  if (word == "relu") return Activation::relu;
  if (word == "tanh") return Activation::tanh;
  if (word == "none") return Activation::none;
  return std::nullopt;
}

/// One layer of the list; messages contain its text and number.
class LayerText {
 public:
  LayerText(const std::string& text, std::size_t number)
      : words_(words_of(text)), number_(number) {}

  [[nodiscard]] Layer layer() const {
    if (words_.empty()) {
      throw Error(fmt::format(
          "net.layers: layer {} is empty; leave out the comma, or write a layer", number_));
    }
    Layer layer;
    struct Number {
      std::int64_t* to;
      std::int64_t most;
    };
    std::vector<Number> numbers{{&layer.units, kMostUnits}};
    const auto& kind = words_.front();
    if (kind == "conv") {
      layer.kind = Layer::Kind::conv;
      numbers.insert(numbers.end(), {{&layer.kernel, kMostPixels}, {&layer.stride, kMostPixels}});
    } else if (kind == "section") {
      layer.kind = Layer::Kind::section;
      numbers.push_back({&layer.blocks, kMostBlocks});
    } else if (kind != "dense") {
      refuse(fmt::format("begins with '{}'", kind));
    }
    auto given = words_.size() - 1;
    if (activation()) {
      layer.activation = *activation();
      --given;
    }
    if (given != numbers.size()) {
      refuse(fmt::format("has {} words between '{}' and the activation, and needs {} numbers there",
                         given, kind, numbers.size()));
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      *numbers[i].to = number(words_[i + 1], numbers[i].most);
    }
    return layer;
  }

  /// The activation that the text names, if it names one.
  [[nodiscard]] std::optional<Activation> activation() const {
    return activation_of(words_.back());
  }

  [[noreturn]] void refuse(const std::string& why) const {
    std::string text;
    for (const auto& word : words_) text += (text.empty() ? "" : " ") + word;
    throw Error(fmt::format(
        "net.layers: layer {}, '{}', {}; write `conv UNITS KERNEL STRIDE`, `section UNITS BLOCKS` "
        "or `dense UNITS`, and behind it relu (which is the default), tanh or none",
        number_, text, why));
  }

 private:
  [[nodiscard]] std::int64_t number(const std::string& word, std::int64_t most) const {
    std::int64_t value = 0;
    const auto* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || rest != end || value < 1 || value > most) {
      refuse(fmt::format("has '{}' where an integer from 1 to {} belongs", word, most));
    }
    return value;
  }

  std::vector<std::string> words_;
  std::size_t number_;
};

}  // namespace

std::vector<Layer> parse_layers(const std::string& text) {
  std::vector<Layer> layers;
  bool open = false;  // whether the latest layer is a section whose activation is not given
  std::istringstream parts(text + ',');
  for (std::string part; std::getline(parts, part, ',');) {
    const LayerText one(part, layers.size() + 1);
    const auto layer = one.layer();
    const bool behind_dense = !layers.empty() && layers.back().kind == Layer::Kind::dense;
    if (layer.over_images() && behind_dense) {
      one.refuse("is a convolution behind a dense layer, which leaves no image");
    }
    const bool section = layer.kind == Layer::Kind::section;
    if (section && open) layers.back().activation = Activation::none;
    open = section && !one.activation();
    layers.push_back(layer);
    if (layers.size() > kMostLayers) {
      throw Error(
          fmt::format("net.layers: there are more than {} layers; write fewer", kMostLayers));
    }
  }
  return layers;
}

}  // namespace tandem
