#include "tandem/nn/row_by_row.h"

#include <utility>

#include "tandem/nn/batch.h"

namespace tandem {
namespace {

class RowByRow final : public Network {
 public:
  explicit RowByRow(std::unique_ptr<Network> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const Architecture& architecture() const override { return inner_->architecture(); }

  void forward(const Inputs& inputs, const Heads& out) override {
    each_row(inputs, out, [&](const Inputs& in, const Heads& row) { inner_->forward(in, row); });
  }

  void record(const Inputs& inputs, const Heads& out) override {
    each_row(inputs, out, [&](const Inputs& in, const Heads& row) { inner_->record(in, row); });
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    inner_->backward(loss, gradient);
  }

  void reload() override { inner_->reload(); }

 private:
  template <class Pass>
  void each_row(const Inputs& inputs, const Heads& out, Pass pass) {
    require_sizes(architecture(), inputs, out);
    const auto cut = [&](auto all, std::int64_t row) {
      const auto width = all.size() / static_cast<std::size_t>(out.batch);
      return all.subspan(static_cast<std::size_t>(row) * width, width);
    };
    for (std::int64_t row = 0; row < out.batch; ++row) {
      pass({cut(inputs.observations, row), cut(inputs.state, row), cut(inputs.begins, row)},
           part(out, row, 1));
    }
  }

  std::unique_ptr<Network> inner_;
};

}  // namespace

std::unique_ptr<Network> make_row_by_row(std::unique_ptr<Network> inner) {
  return std::make_unique<RowByRow>(std::move(inner));
}

}  // namespace tandem
