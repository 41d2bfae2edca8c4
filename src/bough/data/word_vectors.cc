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

/// More than any file has; keeps what is no header from asking for all memory.
constexpr size_t kMaxDimension = 100'000;

/// How many products `dot` adds up side by side.
constexpr size_t kBlock = 4;

struct Header {
  int64_t words = 0;
  int64_t dimension = 0;
};

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}

void skip_blanks(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
}

/// Takes the next field off `line`; empty at its end.
std::string_view take_field(std::string_view& line) {
  skip_blanks(line);
  size_t size = 0;
  while (size < line.size() && !is_blank(line[size])) ++size;
  std::string_view field = line.substr(0, size);
  line.remove_prefix(size);
  return field;
}

size_t count_fields(std::string_view line) {
  size_t count = 0;
  while (!take_field(line).empty()) ++count;
  return count;
}

/// Takes the next field off `line` if it is a number.
template <typename Number>
std::optional<Number> take_number(std::string_view& line) {
  skip_blanks(line);
  Number number{};
  const char* end = line.data() + line.size();
  auto [stop, error] = std::from_chars(line.data(), end, number);
  if (error != std::errc() || (stop != end && !is_blank(*stop))) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(stop - line.data()));
  return number;
}

/// The same for a number that is finite as a float.
std::optional<float> take_value(std::string_view& line) {
  auto number = take_number<double>(line);
  if (!number || !std::isfinite(static_cast<float>(*number))) return std::nullopt;
  return static_cast<float>(*number);
}

std::optional<Header> parse_header(std::string_view line) {
  auto words = take_number<int64_t>(line);
  auto dimension = take_number<int64_t>(line);
  if (!words || !dimension || !take_field(line).empty()) return std::nullopt;
  return Header{*words, *dimension};
}

/// Fills `values`; false where there are more or fewer, or one of them is no number.
bool parse_values(std::string_view fields, std::span<float> values) {
  for (float& value : values) {
    auto number = take_value(fields);
    if (!number) return false;
    value = *number;
  }
  return take_field(fields).empty();
}

/// Whether there are too many fields because the word has blanks in it: the first is no number, and
/// the last are all values.
bool has_blanks_in_word(std::string_view fields, std::span<float> values) {
  size_t count = count_fields(fields);
  std::string_view behind_word = fields;
  if (count <= values.size() || take_value(behind_word)) return false;
  for (size_t i = values.size(); i < count; ++i) take_field(fields);
  return parse_values(fields, values);
}

/// The dimension by the header, or by the values of the first line where there is none.
size_t find_dimension(const LineReader& reader, std::string_view line,
                      const std::optional<Header>& header) {
  size_t fields = count_fields(line);
  size_t dimension = fields == 0 ? 0 : fields - 1;
  if (header) dimension = static_cast<size_t>(std::max<int64_t>(header->dimension, 0));
  if (dimension == 0 || dimension > kMaxDimension) {
    throw DataError(
        "{}, line 1: no word vectors; expected word2vec's header (the count of words and the "
        "dimension) or a word and its values, but found '{}'",
        reader.name(), for_message(line));
  }
  return dimension;
}

/// Says what `parse_values` found wrong with a line.
[[noreturn]] void refuse(const LineReader& reader, std::string_view word, std::string_view fields,
                         size_t dimension) {
  size_t count = count_fields(fields);
  if (count != dimension) {
    throw DataError("{}, line {}: '{}' has {} values, but the dimension of the vectors is {}",
                    reader.name(), reader.line_number(), for_message(word), count, dimension);
  }
  size_t number = 1;
  std::string_view rest = fields;  // from the value of this number on
  while (take_value(fields)) {
    rest = fields;
    ++number;
  }
  throw DataError("{}, line {}: value {} of '{}' is '{}', which is no finite number", reader.name(),
                  reader.line_number(), number, for_message(word), for_message(take_field(rest)));
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
      dimension_ = find_dimension(reader, line, header);
      stride_ = (dimension_ + kBlock - 1) / kBlock * kBlock;
      values.resize(dimension_);
      if (header) continue;
    }
    ++words;
    std::string_view fields = line;
    std::string_view word = take_field(fields);
    bool wanted = keep == nullptr || keep->contains(word);
    // The first vector is always read, so that a file of another kind is noticed.
    if (!wanted && words > 1) continue;
    if (parse_values(fields, values)) {
      if (wanted) add(word, values);
    } else if (!has_blanks_in_word(fields, values)) {
      refuse(reader, word, fields, dimension_);
    }
  }
  if (header && header->words != words) {
    throw DataError(
        "{}: the header says that there are {} words, but there are {}. Is the file cut short?",
        reader.name(), header->words, words);
  }
  if (words == 0) throw DataError("{} has no word vectors: it is empty", reader.name());
}

void WordVectors::add(std::string_view word, std::span<const float> values) {
  size_t number = numbers_.add(word);
  if (number == size()) {
    values_.resize(values_.size() + stride_);
    lengths_.push_back(0.0);
  }
  float* row = values_.data() + number * stride_;
  std::copy(values.begin(), values.end(), row);
  lengths_[number] = std::sqrt(dot(row, row, stride_));
}

std::optional<size_t> WordVectors::find(std::string_view word) const {
  uint32_t number = numbers_.find(word);
  if (number == WordNumbers::kUnknown) return std::nullopt;
  return number;
}

double WordVectors::cosine(size_t left, size_t right) const {
  double lengths = lengths_[left] * lengths_[right];
  if (lengths == 0.0) return 0.0;
  const float* values = values_.data();
  double product = dot(values + left * stride_, values + right * stride_, stride_);
  return std::clamp(product / lengths, -1.0, 1.0);
}

}  // namespace bough
