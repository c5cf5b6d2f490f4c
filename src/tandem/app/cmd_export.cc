// `tandem export`: writes a trained agent for other programs. C++ writes the network and its
// parameters; Python code of the package makes all other formats of them.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/agent_options.h"
#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/python_program.h"
#include "tandem/base/error.h"
#include "tandem/trainer/agent_description.h"

namespace tandem {
namespace {

constexpr const char* kExportFooter = R"(
All files take the environment's own observations: scaling by env.normalise and
net.pixel_mean is part of the network.

--onnx: opset 17. Inputs: observations, uint8 or float32 with a dynamic batch,
and, for an agent with an LSTM, state, which is 0 where a game begins. Outputs:
the heads policy and value, the greedy action, and new_state. Needs the Python
package onnx.

--torch: a readable PyTorch module, and its weights beside it in .safetensors.
Its first lines say how to use it. It needs neither tandem nor, to be written,
torch.

--hub: a folder in the convention of model hubs: a card with the result of
--episodes games, both files above, config, a video where the environment has
pictures, and the run's TensorBoard events. The folder is whole or absent.

--parts: network.json and model.safetensors, from which all others are made.
--start, --greedy, --seed and --device are for the games of --hub.)";

struct ExportOptions {
  AgentOptions agent;
  std::string onnx;
  std::string torch;
  std::string hub;
  std::string parts;
  int episodes = 30;
};

void run(const ExportOptions& options) {
  const std::vector<std::pair<std::string, std::string>> targets = {
      {"--onnx", options.onnx}, {"--torch", options.torch}, {"--hub", options.hub}};
  std::vector<std::string> words = {"--program", own_program(), "--episodes",
                                    fmt::format("{}", options.episodes)};
  const auto fixed = words.size();
  for (const auto& [option, target] : targets) {
    if (!target.empty()) words.insert(words.end(), {option, target});
  }
  if (words.size() == fixed && options.parts.empty()) {
    throw Error(
        "say where to write the agent: --onnx FILE, --torch FILE, --hub DIR or --parts DIR");
  }
  std::optional<std::int64_t> step;  // a run that goes on may write a newer checkpoint meanwhile
  if (!options.parts.empty()) {
    const auto agent = options.agent.load();
    write_parts(agent, options.parts);
    step = agent.step();
  }
  if (words.size() == fixed) return;
  words.emplace_back("--");
  const auto agent = options.agent.words(step);
  words.insert(words.end(), agent.begin(), agent.end());
  words.insert(words.begin(),
               {find_python("exports agents", "onnx"), find_python_code("tandem_export")});
  become_python(std::move(words));
}

}  // namespace

void add_export(CLI::App& program) {
  auto options = std::make_shared<ExportOptions>();
  auto* command =
      program.add_subcommand("export", "Write a trained agent for ONNX, PyTorch or a model hub");
  options->agent.add_to(*command);
  command->add_option("--onnx", options->onnx, "ONNX file to write, such as pong.onnx")
      ->type_name("FILE");
  command->add_option("--torch", options->torch, "PyTorch module to write, such as pong.py")
      ->type_name("FILE");
  command->add_option("--hub", options->hub, "Folder for a model hub; must be new or empty")
      ->type_name("DIR");
  command
      ->add_option("--parts", options->parts,
                   "Folder for network.json and model.safetensors alone; must be new or empty")
      ->type_name("DIR");
  command->add_option("--episodes", options->episodes, "hub: games to play for the card")
      ->type_name("N")
      ->transform(whole_number(2, 1'000'000))
      ->capture_default_str();
  end_help(*command,
           {"tandem export runs/pong --onnx pong.onnx --torch pong.py",
            "tandem export runs/pong --hub pong-paac --episodes 30"},
           kExportFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
