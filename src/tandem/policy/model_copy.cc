#include "tandem/policy/model_copy.h"

namespace tandem {

ModelCopy::ModelCopy(const SharedModel& model, const MakeNetwork& make_network)
    : model_(model), parameters_(model.size()), network_(make_network(parameters_)) {}

void ModelCopy::synchronise() {
  if (model_.copy_if_newer(version_, parameters_)) network_->reload();
}

}  // namespace tandem
