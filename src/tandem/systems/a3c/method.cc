#include "tandem/systems/a3c/method.h"

namespace tandem {

Setting in_our_words(Setting setting) {
  if (setting.key == "method") setting.key = "algo";
  if (setting.key == "algo" && setting.value == FieldValue("a3c")) setting.value = "a2c";
  return setting;
}

}  // namespace tandem
