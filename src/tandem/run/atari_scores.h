// Scores of random play and of people in Atari games.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tandem {

/// Mean scores of one game under no-op starts. Under human starts (A3C, Table 1) random play and
/// people have other scores, which none of the five papers prints. Sampled starts have none.
struct AtariScores {
  std::string_view game;  // "SpaceInvaders"
  double random = 0;      // uniformly random actions
  double human = 0;       // of a professional games tester
};

/// The starts under which all these scores were measured, in words.
inline constexpr auto kAtariScoresStart = "no-op starts";

/// The 57 games of the A3C paper, in alphabetical order. Immutable.
[[nodiscard]] std::span<const AtariScores> atari_scores();

/// The scores of an environment by its id; case and underscores of the game do not matter
/// ("atari:space_invaders"). Other families have none, whatever the names of their games.
[[nodiscard]] std::optional<AtariScores> find_atari_scores(std::string_view env);

/// 0 for random play, 1 for human play: (score - random) / (human - random).
[[nodiscard]] double human_normalised(const AtariScores& scores, double score);

}  // namespace tandem
