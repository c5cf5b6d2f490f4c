#include "tandem/nn/architecture_json.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Architecture two_layers() {
  return {.name = "layers",
          .input_dtype = DType::u8,
          .input_shape = {4, 20, 20},
          .torso = {{Layer::Kind::conv, 8, 4, 2, Activation::tanh}, {Layer::Kind::dense, 10}},
          .policy_outputs = 3,
          .pixel_mean = 0.25F};
}

/// The tensors that a description names.
std::set<std::string> tensors(const Json& json) {
  std::set<std::string> names;
  const auto add = [&](const Json& layer, std::initializer_list<const char*> parts) {
    for (const auto* part : parts) names.insert(layer.at("name").get<std::string>() + "." + part);
  };
  for (const auto& network : json.at("networks")) {
    for (const auto& layer : network.at("torso")) {
      if (layer.at("kind") != "section") {
        add(layer, {"weight", "bias"});
        continue;
      }
      add(layer, {"conv.weight", "conv.bias"});
      for (int block = 1; block <= layer.at("blocks"); ++block) {
        for (const std::string conv : {"conv1.", "conv2."}) {
          const auto part = "block" + std::to_string(block) + "." + conv;
          add(layer, {(part + "weight").c_str(), (part + "bias").c_str()});
        }
      }
    }
    for (const auto& head : network.at("heads")) add(head, {"weight", "bias"});
    if (!network.at("lstm").is_null()) {
      add(network.at("lstm"), {"weight_ih", "bias", "weight_hh"});
    }
  }
  return names;
}

void expect_all_tensors(const Architecture& architecture) {
  std::set<std::string> names;
  for (const auto& info : architecture.parameters()) names.insert(info.name);
  EXPECT_EQ(tensors(to_json(architecture)), names);
}

TEST(ArchitectureJsonTest, DescribesEachLayer) {
  const auto json = to_json(two_layers());
  EXPECT_EQ(json.at("input"), Json::parse(R"({"dtype": "uint8", "shape": [4, 20, 20]})"));
  EXPECT_EQ(
      json.at("input_steps"),
      Json::parse(R"([{"kind": "divide", "by": 255}, {"kind": "subtract", "number": 0.25}])"));
  EXPECT_EQ(json.at("networks"), Json::parse(R"([{
    "torso": [{"name": "conv1", "kind": "conv", "activation": "tanh", "stride": 2},
              {"name": "dense1", "kind": "dense", "activation": "relu"}],
    "lstm": null,
    "heads": [{"name": "policy", "features": [0, 10]}, {"name": "value", "features": [0, 10]}]
  }])"));
  EXPECT_EQ(json.at("state_size"), 0);
  EXPECT_TRUE(json.at("bounds").is_null());
}

TEST(ArchitectureJsonTest, DescribesSections) {
  auto architecture = two_layers();
  architecture.torso[0] = {.kind = Layer::Kind::section, .units = 8, .blocks = 2};
  architecture.torso.insert(architecture.torso.begin() + 1,
                            {.kind = Layer::Kind::section, .units = 5, .blocks = 1});
  const auto torso = to_json(architecture).at("networks").at(0).at("torso");
  EXPECT_EQ(torso.at(0), Json::parse(R"({"name": "section1", "kind": "section",
                                         "activation": "relu", "blocks": 2})"));
  EXPECT_EQ(torso.at(1).at("name"), "section2");
  EXPECT_EQ(torso.at(2).at("name"), "dense1");
  architecture.separate = true;
  architecture.lstm = 4;
  expect_all_tensors(architecture);
}

TEST(ArchitectureJsonTest, HeadsOfADuelingNetworkTakeHalvesOfTheFeatures) {
  auto architecture = two_layers();
  architecture.dueling = true;
  const auto heads = to_json(architecture).at("networks").at(0).at("heads");
  EXPECT_EQ(heads.at(0).at("features"), Json({0, 5}));
  EXPECT_EQ(heads.at(1).at("features"), Json({5, 10}));
}

TEST(ArchitectureJsonTest, NamesTheTensorsOfAllNetworks) {
  auto architecture = two_layers();
  expect_all_tensors(architecture);
  architecture.value_head = false;
  expect_all_tensors(architecture);
  architecture.value_head = true;
  architecture.lstm = 6;
  expect_all_tensors(architecture);
  architecture.separate = true;
  expect_all_tensors(architecture);
  EXPECT_EQ(to_json(architecture).at("state_size"), 24);

  const Architecture critic{.name = "dpg",
                            .input_dtype = DType::f32,
                            .input_shape = {5},
                            .torso = {{Layer::Kind::dense, 7}},
                            .policy_outputs = 2,
                            .separate = true,
                            .action_low = {-1, -2},
                            .action_high = {1, 3},
                            .critic_torso = {{Layer::Kind::dense, 9}, {Layer::Kind::dense, 4}}};
  expect_all_tensors(critic);
  const auto json = to_json(critic);
  EXPECT_EQ(json.at("bounds"), Json::parse(R"({"low": [-1.0, -2.0], "high": [1.0, 3.0]})"));
  EXPECT_EQ(json.at("networks").at(1).at("torso").at(1).at("name"), "critic.dense2");
}

}  // namespace
}  // namespace tandem
