// A cluster within one process: threads carry the messages, and may lose, repeat and delay them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/cluster/cluster_actor.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/shard.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The faults of a network, each with its chance for a message. Value type.
struct NetworkFaults {
  double lost = 0;      // the message does not arrive
  double unheard = 0;   // it arrives, and its answer does not
  double repeated = 0;  // it arrives twice
  double damaged = 0;   // one of its bits changes
  double forged = 0;    // its content or its answer changes, with the checksums of the new one
  int most_delay_ms = 0;
  bool of_actors_alone = false;  // the learner's messages have none
  std::uint64_t seed = 3;
};

/// A message with another content, sealed as by its sender: some bytes differ, or its end is gone.
inline std::vector<std::byte> forge(std::span<const std::byte> message, Stream& stream) {
  const auto any_below = [&](std::size_t end) {
    return stream.below(static_cast<std::uint32_t>(end));
  };
  const auto letter = open_message(message);
  auto content = std::vector<std::byte>(letter.content.begin(), letter.content.end());
  if (!content.empty()) {
    for (auto changes = 1 + any_below(4); changes > 0; --changes) {
      content[any_below(content.size())] = static_cast<std::byte>(any_below(256));
    }
    if (any_below(4) == 0) content.resize(any_below(content.size()));
  }
  MessageWriter writer(letter.from, letter.verb, letter.sequence);
  for (const auto byte : content) writer.content().put(byte);
  return std::move(writer).seal();
}

/// Carries the messages of one learner, its shards and its actors. A part that is replaced receives
/// no more messages. Safe to use from many threads.
class LocalCluster {
 public:
  explicit LocalCluster(ClusterLink& link, const NetworkFaults& faults = {})
      : link_(link), faults_(faults) {
    carriers_.emplace_back(
        [this] { carry(link_.mailbox(), faults_.of_actors_alone ? NetworkFaults{} : faults_); });
  }

  ~LocalCluster() {
    stop_ = true;
    for (auto& actor : all_actors_) actor->stop();
    for (auto& carrier : carriers_) carrier.join();
  }
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  void set_shard(int index, std::shared_ptr<Shard> shard) {
    const Lock lock(mutex_);
    shards_[index] = std::move(shard);
  }

  void set_actor(int rank, const std::shared_ptr<ClusterActor>& actor) {
    const Lock lock(mutex_);
    if (actors_.contains(rank)) actors_[rank]->stop();
    actors_[rank] = actor;
    all_actors_.push_back(actor);
    carriers_.emplace_back([this, actor] { carry(actor->mailbox(), faults_); });
  }

  [[nodiscard]] std::shared_ptr<ClusterActor> actor(int rank) {
    const Lock lock(mutex_);
    return actors_.at(rank);
  }

 private:
  using Bytes = std::vector<std::byte>;

  void carry(Mailbox& mailbox, const NetworkFaults& faults) {
    Stream stream(faults.seed, carriers_begun_++);
    while (!stop_) {
      auto outgoing = mailbox.take(0.01);
      if (outgoing) carry(mailbox, *std::move(outgoing), faults, stream);
    }
  }

  void carry(Mailbox& mailbox, Outgoing outgoing, const NetworkFaults& faults, Stream& stream) {
    const auto happens = [&](double chance) { return stream.uniform() < chance; };
    if (faults.most_delay_ms > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(
          stream.below(static_cast<std::uint32_t>(faults.most_delay_ms))));
    }
    if (happens(faults.lost)) return mailbox.answer(outgoing.ticket, std::nullopt);
    if (happens(faults.forged)) outgoing.message = forge(outgoing.message, stream);
    if (happens(faults.damaged)) {
      auto& byte =
          outgoing.message[stream.below(static_cast<std::uint32_t>(outgoing.message.size()))];
      byte ^= std::byte{16};
    }
    auto answer = deliver(outgoing);
    if (answer && happens(faults.repeated)) answer = deliver(outgoing);
    if (!answer || answer->empty() || happens(faults.unheard))
      return mailbox.answer(outgoing.ticket, std::nullopt);
    if (happens(faults.forged)) *answer = forge(*answer, stream);
    mailbox.answer(outgoing.ticket, *answer);
  }

  std::optional<Bytes> deliver(const Outgoing& outgoing) {
    if (outgoing.to == "learner") return link_.deliver(outgoing.message);
    if (outgoing.to == "actor:0") return actor(0)->deliver(outgoing.message);
    if (outgoing.to == "actors") {
      std::map<int, std::shared_ptr<ClusterActor>> actors;
      {
        const Lock lock(mutex_);
        actors = actors_;
      }
      for (const auto& [rank, actor] : actors) actor->deliver(outgoing.message);
      return Bytes();
    }
    std::shared_ptr<Shard> shard;
    {
      const Lock lock(mutex_);
      shard = shards_[std::stoi(outgoing.to.substr(outgoing.to.find(':') + 1))];
    }
    if (shard == nullptr) return std::nullopt;
    return shard->deliver(outgoing.message);
  }

  ClusterLink& link_;
  const NetworkFaults faults_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> carriers_begun_ = 0;  // each has faults of its own
  Mutex mutex_;
  std::map<int, std::shared_ptr<Shard>> shards_;
  std::map<int, std::shared_ptr<ClusterActor>> actors_;
  std::vector<std::shared_ptr<ClusterActor>> all_actors_;
  std::vector<std::thread> carriers_;
};

}  // namespace tandem
