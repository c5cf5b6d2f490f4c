// The costs of Ray as the carrier of a cluster's messages.
#pragma once

namespace tandem {

/// The costs of the carrier of a cluster's messages, whatever the messages hold. Times are
/// processor seconds, sizes are in bytes. Value type.
struct CarrierCosts {
  // A message and its answer.
  double send_seconds = 0;     // of the sender
  double receive_seconds = 0;  // of the receiver
  double byte_seconds = 0;     // of each of the two, for a byte
  double saved = 0;            // share of these seconds that a process saves that never sleeps
  double most_messages = 1;    // that one process can send or receive in a second
  double request_bytes = 0;    // on the network, beside a message's own
  double answer_bytes = 0;     // on the network, of an answer that has few of its own

  // Larger messages lie in the carrier's store of each machine, and others pull them from there.
  double direct_bytes = 0;       // the largest message that does not
  double store_seconds = 0;      // of the sender, for a message in the store
  double kept_seconds = 0;       // of the carrier's processes, for the same
  double put_byte_seconds = 0;   // of the sender, for a byte of a publication
  double put_byte_span = 0;      // wall seconds of the same
  double pull_byte_span = 0;     // wall seconds for a byte that a machine sends to another
  double get_byte_seconds = 0;   // of the receiver, for a byte of a publication
  double pull_seconds = 0;       // of the carrier's processes, for a message that is pulled
  double pull_byte_seconds = 0;  // the same for a byte
  double pull_answer_share = 0;  // bytes on the network back to the sender, for a byte

  // At rest.
  double machine_cores = 0;  // that the carrier's own processes keep busy on each machine
  double part_cores = 0;     // that a part's process keeps busy
  double beat_bytes = 0;     // a second, to and from each other machine
  double part_bytes = 0;     // memory of a part's process
  double machine_bytes = 0;  // memory of the carrier's own processes on each machine
  double head_bytes = 0;     // memory of the cluster's head and the driver
};

/// Ray 2.60 between network namespaces of a machine with two cores. benchmarks/cluster_messages.py
/// measures messages and rest; the figures of the store and the memory follow from the trainings of
/// benchmarks/cluster_forecast.py.
inline constexpr CarrierCosts kRay{.send_seconds = 1.0e-3,
                                   .receive_seconds = 0.75e-3,
                                   .byte_seconds = 5e-9,
                                   .saved = 0.5,
                                   .most_messages = 1700,
                                   .request_bytes = 1200,
                                   .answer_bytes = 430,
                                   .direct_bytes = 102'400,
                                   .store_seconds = 1.4e-3,
                                   .kept_seconds = 2e-3,
                                   .put_byte_seconds = 4.2e-9,
                                   .put_byte_span = 0.5e-9,
                                   .pull_byte_span = 2.5e-9,
                                   .get_byte_seconds = 1.3e-9,
                                   .pull_seconds = 4.5e-3,
                                   .pull_byte_seconds = 2.1e-9,
                                   .pull_answer_share = 1.3e-3,
                                   .machine_cores = 0.017,
                                   .part_cores = 0.006,
                                   .beat_bytes = 1100,
                                   .part_bytes = 64e6,
                                   .machine_bytes = 280e6,
                                   .head_bytes = 240e6};

}  // namespace tandem
