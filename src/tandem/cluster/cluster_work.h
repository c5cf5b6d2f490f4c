// The work of a cluster's parts, as far as the system and the environment decide it.
#pragma once

namespace tandem {

/// The work of each part, without that of the carrier of their messages. Times are processor
/// seconds unless they say otherwise, sizes are in bytes. Value type.
struct ClusterWork {
  // An actor.
  double rows = 1;          // agents that it plays at a time; each makes a step
  double step_seconds = 0;  // of a step: environment, network, transitions and their packing
  double step_span = 0;     // wall seconds of a step, which exceed the former if it sleeps
  double segment = 1;       // transitions that leave a row together
  double wire_bytes = 0;    // of a transition in a message
  double report_bytes = 0;  // of a report to the learner
  double actor_bytes = 0;   // memory, without that of its process

  // A shard.
  double insert_seconds = 0;  // of a transition
  double draw_seconds = 0;    // of a batch, with its new priorities
  double kept_bytes = 0;      // memory of a transition
  double sample_bytes = 0;    // of a sample in a message
  double order_period = 1;    // the most seconds between two orders to a shard

  // The learner.
  double gradient_seconds = 0;  // of an update; its threads share them
  double apply_seconds = 0;     // of an update; one thread has them
  double take_seconds = 0;      // to open the answers of a batch
  double unpack_seconds = 0;    // of a batch's frames, in a thread of their own
  double threads = 1;           // that share a gradient
  double learner_bytes = 0;     // memory, without that of its process
  double parameter_bytes = 0;   // of a publication
  double publish_period = 1;    // rest between two publications, in seconds

  // The replay.
  double batch = 1;               // samples of an update
  double copies = 1;              // of a transition in the replay
  double samples_per_insert = 0;  // that the limiter keeps; 0: steps and updates run freely
  double capacity = 0;            // transitions after a trim, over all shards
  double trim_updates = 1;        // updates between two trims
};

}  // namespace tandem
