#include "tandem/env/builtin.h"

#include <fmt/format.h>

#include "tandem/base/error.h"

namespace tandem {
namespace {

class BuiltinFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }
  [[nodiscard]] FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    throw Error(fmt::format("there is no environment '{}'", name));
  }
};

}  // namespace

std::unique_ptr<EnvFamily> make_builtin_family() { return std::make_unique<BuiltinFamily>(); }

}  // namespace tandem
