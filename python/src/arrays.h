// Arrays that Python receives as copies of its own.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>

namespace tandem::python {

/// A NumPy array of this shape with a copy of the values. Needs the GIL.
template <class T>
nanobind::object array_of(std::span<const T> values, std::initializer_list<std::size_t> shape) {
  auto memory = std::make_unique<T[]>(values.size());
  std::ranges::copy(values, memory.get());
  T* const data = memory.get();
  nanobind::capsule owner(data, [](void* array) noexcept { delete[] static_cast<T*>(array); });
  static_cast<void>(memory.release());
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.begin(), owner));
}

}  // namespace tandem::python
