#include "bough/data/word_vectors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr std::string_view kBlanks = " \t";

/// How many products `dot` adds up side by side.
constexpr size_t kBlock = 8;

struct Header {
  int64_t words = 0;
  int64_t dimension = 0;
};

/// Takes the next field off `line`; empty at its end.
std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  std::string_view field = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(field.size());
  return field;
}

size_t count_fields(std::string_view line) {
  size_t count = 0;
  while (!take_field(line).empty()) ++count;
  return count;
}

template <typename Number>
std::optional<Number> parse(std::string_view field) {
  Number number{};
  const char* end = field.data() + field.size();
  auto [stop, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<float> parse_value(std::string_view field) {
  auto number = parse<double>(field);
  if (!number || !std::isfinite(static_cast<float>(*number))) return std::nullopt;
  return static_cast<float>(*number);
}

std::optional<Header> parse_header(std::string_view line) {
  auto words = parse<int64_t>(take_field(line));
  auto dimension = parse<int64_t>(take_field(line));
  if (!words || !dimension || !take_field(line).empty()) return std::nullopt;
  return Header{*words, *dimension};
}

/// Fills `values`; false where there are more or fewer, or one of them is no number.
bool parse_values(std::string_view fields, std::span<float> values) {
  for (float& value : values) {
    auto number = parse_value(take_field(fields));
    if (!number) return false;
    value = *number;
  }
  return take_field(fields).empty();
}

/// Whether a line has too many fields because the word has blanks in it: the first of them to
/// follow is no number.
bool has_blanks_in_word(std::string_view fields, size_t dimension) {
  return count_fields(fields) > dimension && !parse_value(take_field(fields));
}

/// Says what `parse_values` found wrong with a line.
[[noreturn]] void refuse(const LineReader& reader, std::string_view word, std::string_view fields,
                         size_t dimension) {
  size_t count = count_fields(fields);
  if (count != dimension) {
    throw DataError("{}, line {}: '{}' has {} values, but the dimension of the vectors is {}",
                    reader.name(), reader.line_number(), for_message(word), count, dimension);
  }
  std::string_view field = take_field(fields);
  size_t number = 1;
  for (; parse_value(field); ++number) field = take_field(fields);
  throw DataError("{}, line {}: value {} of '{}' is '{}', which is no finite number", reader.name(),
                  reader.line_number(), number, for_message(word), for_message(field));
}

/// The scalar product; `size` is a multiple of kBlock. Products of floats are exact in double
/// precision, and the side-by-side sums don't wait for each other.
double dot(const float* left, const float* right, size_t size) {
  std::array<double, kBlock> sums{};
  for (size_t at = 0; at < size; at += kBlock) {
    for (size_t i = 0; i < kBlock; ++i) {
      sums[i] += static_cast<double>(left[at + i]) * static_cast<double>(right[at + i]);
    }
  }
  double sum = 0.0;
  for (double part : sums) sum += part;
  return sum;
}

}  // namespace

WordVectors::WordVectors(const std::string& path, const WordSet* keep)
    : file_name_(fs::path(path).filename().string()) {
  LineReader reader(path);
  std::optional<Header> header;
  int64_t words = 0;
  std::vector<float> values;
  for (std::string line; reader.next(line);) {
    if (reader.line_number() == 1) {
      header = parse_header(line);
      set_dimension(header ? static_cast<size_t>(std::max<int64_t>(header->dimension, 0))
                           : std::max<size_t>(count_fields(line), 1) - 1);
      if (dimension_ == 0) {
        throw DataError(
            "{}, line 1: no word vectors; expected word2vec's header (the count of words and the "
            "dimension) or a word and its values, but found '{}'",
            reader.name(), for_message(line));
      }
      if (header) continue;
    }
    ++words;
    std::string_view fields = line;
    std::string_view word = take_field(fields);
    bool wanted = keep == nullptr || keep->contains(word);
    // The first line is always read, so that a file of another kind is noticed.
    if (!wanted && words > 1) continue;
    values.resize(dimension_);
    if (parse_values(fields, values)) {
      if (wanted) add(word, values);
    } else if (!has_blanks_in_word(fields, dimension_)) {
      refuse(reader, word, fields, dimension_);
    }
  }
  if (header && header->words != words) {
    throw DataError(
        "{}: the header says {} words, but there are {}. The file is cut short, or two "
        "were joined",
        reader.name(), header->words, words);
  }
  if (words == 0) throw DataError("{} has no word vectors: it is empty", reader.name());
}

void WordVectors::set_dimension(size_t dimension) {
  dimension_ = dimension;
  stride_ = (dimension + kBlock - 1) / kBlock * kBlock;
}

void WordVectors::add(std::string_view word, std::span<const float> values) {
  size_t number = numbers_.try_emplace(std::string(word), size()).first->second;
  if (number == size()) {
    values_.resize(values_.size() + stride_);
    lengths_.push_back(0.0);
  }
  float* row = values_.data() + number * stride_;
  std::copy(values.begin(), values.end(), row);
  lengths_[number] = std::sqrt(dot(row, row, stride_));
}

std::optional<size_t> WordVectors::find(std::string_view word) const {
  auto found = numbers_.find(word);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

double WordVectors::cosine(size_t left, size_t right) const {
  double lengths = lengths_[left] * lengths_[right];
  if (lengths == 0.0) return 0.0;
  const float* values = values_.data();
  double product = dot(values + left * stride_, values + right * stride_, stride_);
  return std::clamp(product / lengths, -1.0, 1.0);
}

}  // namespace bough
