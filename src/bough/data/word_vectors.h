// Word vectors, read from the text files of word2vec, GloVe and fastText.
//
// A line is a word and its values, with blanks between them. The first line may be a header of two
// whole numbers, the count of words and the dimension; without one the first line's values give the
// dimension. Such files are large (two million words of 300 values take 2.4 GB), so a reader says
// which words it needs: lines of other words are counted, but not looked at any further. GloVe's
// largest file has words with blanks in them, which no text can have; they are passed over. Of
// lines with the same word the last one counts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/text/word_hash.h"
#include "bough/text/word_numbers.h"

namespace bough {

class WordVectors {
 public:
  /// Reads a file, plain or gzipped: all of its words, or those of `keep`. DataError where a line
  /// that is read is no word with as many finite numbers as the dimension says, where the file has
  /// no vectors at all, or where the header counts them wrongly.
  explicit WordVectors(const std::string& path, const WordSet* keep = nullptr);

  /// The file's name, without its folder.
  const std::string& file_name() const { return file_name_; }
  size_t size() const { return lengths_.size(); }
  size_t dimension() const { return dimension_; }

  /// The number of a word's vector.
  std::optional<size_t> find(std::string_view word) const;

  std::span<const float> values(size_t vector) const {
    return {values_.data() + vector * stride_, dimension_};
  }

  /// From -1 to 1; 0 where one of the vectors is all zeros.
  double cosine(size_t left, size_t right) const;

 private:
  void add(std::string_view word, std::span<const float> values);

  std::string file_name_;
  size_t dimension_ = 0;
  size_t stride_ = 0;          // the dimension, rounded up to whole blocks of `cosine`
  std::vector<float> values_;  // vector after vector, each filled up with zeros
  std::vector<double> lengths_;
  WordNumbers numbers_;
};

}  // namespace bough
