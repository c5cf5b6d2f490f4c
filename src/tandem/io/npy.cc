#include "tandem/io/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

static_assert(std::endian::native == std::endian::little, "items are copied as they lie in memory");

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t kPreamble = kMagic.size() + 2;  // and two bytes for the header's length

struct TypeName {
  NpyType type;
  const char* name;
  std::size_t bytes;
};
constexpr std::array<TypeName, 5> kTypes = {{{NpyType::boolean, "|b1", 1},
                                             {NpyType::u8, "|u1", 1},
                                             {NpyType::i32, "<i4", 4},
                                             {NpyType::i64, "<i8", 8},
                                             {NpyType::f32, "<f4", 4}}};

const TypeName& name_of(NpyType type) { return kTypes.at(static_cast<std::size_t>(type)); }

std::size_t item_count(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const auto size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

std::string describe(NpyType type, std::int64_t rows, const std::vector<std::int64_t>& row_shape) {
  auto shape = fmt::format("{},", rows);
  for (const auto size : row_shape) shape += fmt::format(" {},", size);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                     name_of(type).name, shape);
}

// The preamble and header, padded so that the items start at a multiple of 64 bytes. The length
// does not depend on the number of rows, so that close() can write the header again.
std::string header(NpyType type, std::int64_t rows, const std::vector<std::int64_t>& row_shape) {
  constexpr auto kMostRows = std::numeric_limits<std::int64_t>::max();
  const auto longest = kPreamble + describe(type, kMostRows, row_shape).size() + 1;
  auto text = describe(type, rows, row_shape);
  text.resize((longest + 63) / 64 * 64 - kPreamble - 1, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string start(kMagic);
  start += static_cast<char>(length & 0xff);
  start += static_cast<char>(length >> 8);
  return start + text;
}

/// The name of an array that is being written: a failure must not leave a file that looks whole.
std::filesystem::path unfinished(const std::filesystem::path& file) {
  auto part = file;
  return part += ".part";
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : file_(file), stream_(file, std::ios::binary) {
    if (!stream_) {
      throw Error(fmt::format("cannot read {}: {}; check its path", file.string(),
                              std::generic_category().message(errno)));
    }
  }

  NpyArray read() {
    parse_header(read_header());
    const auto bytes = item_count(array_.shape) * item_bytes(array_.type);
    if (bytes > bytes_left()) {
      refuse(fmt::format("it ends too early: its shape ({}) needs {} bytes of items",
                         fmt::join(array_.shape, ", "), bytes));
    }
    array_.bytes.resize(bytes);
    stream_.read(reinterpret_cast<char*>(array_.bytes.data()), static_cast<std::streamsize>(bytes));
    return std::move(array_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("cannot use {}: {}", file_.string(), why));
  }

  std::uintmax_t bytes_left() {
    return std::filesystem::file_size(file_) - static_cast<std::uintmax_t>(stream_.tellg());
  }

  std::string read_header() {
    std::array<char, kPreamble> start{};
    stream_.read(start.data(), start.size());
    const bool known = stream_ && std::string_view(start.data(), kMagic.size()) == kMagic;
    if (!known) refuse("it is not a .npy file of version 1.0 (write it with numpy.save)");
    const auto low = static_cast<unsigned char>(start[kPreamble - 2]);
    const auto high = static_cast<unsigned char>(start[kPreamble - 1]);
    std::string text(low + 256u * high, ' ');
    stream_.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream_) refuse("it ends within its header");
    return text;
  }

  // The header is a Python dictionary in the one spelling that NumPy writes.
  void parse_header(std::string_view text) {
    take(text, "{'descr': '");
    const auto type = take_until(text, "', 'fortran_order': ");
    const auto fortran_order = take_until(text, ", 'shape': (");
    const auto shape = take_until(text, ")");
    take_all(text, ",");
    take_all(text, " ");
    take(text, "}");
    take_all(text, " \n");
    if (!text.empty()) refuse_header();
    if (fortran_order == "True")
      refuse("its items are in Fortran order (numpy.ascontiguousarray helps)");
    if (fortran_order != "False") refuse_header();
    parse_type(type);
    parse_shape(shape);
  }

  [[noreturn]] void refuse_header() const { refuse("its header is damaged or of another kind"); }

  void take(std::string_view& text, std::string_view start) const {
    if (!text.starts_with(start)) refuse_header();
    text.remove_prefix(start.size());
  }

  std::string_view take_until(std::string_view& text, std::string_view end) const {
    const auto length = text.find(end);
    if (length == std::string_view::npos) refuse_header();
    const auto taken = text.substr(0, length);
    text.remove_prefix(length + end.size());
    return taken;
  }

  static void take_all(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  }

  void parse_type(std::string_view name) {
    for (const auto& type : kTypes) {
      if (name != type.name) continue;
      array_.type = type.type;
      return;
    }
    refuse(fmt::format("its items are {}; known are bool, uint8, int32, int64 and float32",
                       name.substr(0, 16)));
  }

  void parse_shape(std::string_view text) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;  // items; products cannot overflow
    std::int64_t count = 1;
    for (take_all(text, " "); !text.empty(); take_all(text, " ")) {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error == std::errc::invalid_argument || size < 0) refuse_header();
      const bool fits = error == std::errc{} && size <= kMost / std::max<std::int64_t>(count, 1);
      if (!fits) refuse("its shape is too large");
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      if (!text.empty()) take(text, ",");
      array_.shape.push_back(size);
      count *= size;
    }
  }

  std::filesystem::path file_;
  std::ifstream stream_;
  NpyArray array_;
};

template <class T>
double item(const NpyArray& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

std::size_t item_bytes(NpyType type) { return name_of(type).bytes; }

double NpyArray::at(std::size_t index) const {
  if ((index + 1) * item_bytes(type) > bytes.size()) throw std::out_of_range("NpyArray::at");
  switch (type) {
    case NpyType::i32:
      return item<std::int32_t>(*this, index);
    case NpyType::i64:
      return item<std::int64_t>(*this, index);
    case NpyType::f32:
      return item<float>(*this, index);
    default:
      return item<std::uint8_t>(*this, index);
  }
}

NpyArray read_npy(const std::filesystem::path& file) { return Reader(file).read(); }

NpyWriter::NpyWriter(std::filesystem::path file, NpyType type, std::vector<std::int64_t> row_shape)
    : file_(std::move(file)),
      stream_(unfinished(file_), std::ios::binary),
      type_(type),
      row_shape_(std::move(row_shape)) {
  stream_ << header(type_, 0, row_shape_);
  check();
}

void NpyWriter::write(std::span<const std::byte> bytes) {
  stream_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
  bytes_ += bytes.size();
  check();
}

void NpyWriter::close() {
  const auto row_bytes = item_count(row_shape_) * item_bytes(type_);
  if (bytes_ % row_bytes != 0) throw std::logic_error("NpyWriter: the last row is not whole");
  stream_.seekp(0);
  stream_ << header(type_, static_cast<std::int64_t>(bytes_ / row_bytes), row_shape_);
  stream_.close();
  check();
  std::error_code error;
  std::filesystem::rename(unfinished(file_), file_, error);
  if (error) throw write_error(file_, error.value());
}

void NpyWriter::check() const {
  if (stream_) return;
  throw write_error(file_, errno);
}

}  // namespace tandem
