// Starts of games from the play of a trained agent, and starts for its games.
#pragma once

#include <string>
#include <vector>

#include "tandem/run/start_file.h"
#include "tandem/run/starts.h"
#include "tandem/trainer/agent.h"

namespace tandem {

/// Records states of games that the agent plays, as record_starts() does, with their origin in
/// words. Throws as record_starts() does.
[[nodiscard]] StartFile record_starts(Agent& agent, const StartsOptions& options);

/// The states of the file for games of this agent: with its own scale of observations. `name` is
/// the file's, for messages. Throws Error when they are of another environment, or of one with
/// another option on which its states depend.
[[nodiscard]] std::vector<StartState> starts_for(const Agent& agent, StartFile content,
                                                 const std::string& name);

}  // namespace tandem
