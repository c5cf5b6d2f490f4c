// What Ray takes to carry messages.
#pragma once

namespace tandem {

/// The costs of the carrier of a cluster's messages, whatever the messages hold. Times are
/// processor seconds, sizes are in bytes. Value type.
struct CarrierCosts {
  double send_seconds = 0;     // of the sender, for a message and its answer
  double receive_seconds = 0;  // of the receiver
  double byte_seconds = 0;     // of each of the two, for a byte
  double most_messages = 1;    // that one process can send or receive in a second
  double request_bytes = 0;    // on the network, beside a message's own
  double answer_bytes = 0;     // of an answer, which has few of its own
  double machine_cores = 0;    // that the carrier's own processes keep busy on each machine
  double part_cores = 0;       // that a part's process keeps busy while it rests
  double beat_bytes = 0;       // a second, to and from each other machine at rest
  double part_bytes = 0;       // memory of a part's process before it has the part
  double machine_bytes = 0;    // memory of the carrier's own processes on each machine
};

/// Ray 2.60 between two network namespaces of a machine with two cores, as
/// benchmarks/cluster_messages.py measures it. The memory is that of a process with tandem's
/// libraries.
inline constexpr CarrierCosts kRay{.send_seconds = 0.8e-3,
                                   .receive_seconds = 0.7e-3,
                                   .byte_seconds = 5e-9,
                                   .most_messages = 1700,
                                   .request_bytes = 1200,
                                   .answer_bytes = 400,
                                   .machine_cores = 0.017,
                                   .part_cores = 0.005,
                                   .beat_bytes = 1300,
                                   .part_bytes = 90e6,
                                   .machine_bytes = 127e6};

}  // namespace tandem
