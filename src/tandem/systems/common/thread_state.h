// The states of a system's threads in checkpoints.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tandem/base/state.h"
#include "tandem/run/checkpoint.h"

namespace tandem {

/// Names the state of one of several threads or groups in a checkpoint: "actor_3". Pure.
std::string state_name(const std::string& role, std::size_t rank);

/// Whether a run resumes from a checkpoint that has this state. `resume` may be null.
bool has_state(const Checkpoint* resume, const std::string& name);

/// Saves the state of a thread, or of a group, in a checkpoint.
template <class Thread>
void save_state(Thread& thread, const std::string& name, Checkpoint& checkpoint) {
  StateWriter writer;
  thread.save(writer);
  checkpoint.add_blob(name, writer.bytes());
}

/// Copies a state from `resume` to `checkpoint`, if it is there, for a thread that has not started
/// again since the run was resumed. `resume` may be null.
void keep_state(const Checkpoint* resume, const std::string& name, Checkpoint& checkpoint);

/// Loads the state of `thread` from `resume` if it is there, else starts the thread anew. The state
/// is missing if the thread had not begun before the checkpoint, or if the config has more threads
/// now.
template <class Thread>
void start_or_load(Thread& thread, const Checkpoint* resume, const std::string& name) {
  if (!has_state(resume, name)) return thread.start();
  StateReader reader(resume->blob(name));
  thread.load(reader);
}

}  // namespace tandem
