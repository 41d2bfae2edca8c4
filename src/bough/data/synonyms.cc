#include "bough/data/synonyms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr std::string_view kRemedy =
    "Install Debian's package wordnet-base, or name a folder with WordNet 3.0's files";

/// A word's number and the number of one of its sets.
using Pair = std::pair<uint32_t, uint32_t>;

struct Ending {
  std::string_view inflected;
  std::string_view base;
};

/// WordNet's rules of regular inflection, in METEOR's order: nouns, verbs, adjectives. What verbs
/// share with nouns stands there once.
constexpr std::array<Ending, 18> kEndings = {{
    {"s", ""},
    {"ses", "s"},
    {"xes", "x"},
    {"zes", "z"},
    {"ches", "ch"},
    {"shes", "sh"},
    {"men", "man"},
    {"ies", "y"},
    {"es", "e"},
    {"es", ""},
    {"ed", "e"},
    {"ed", ""},
    {"ing", "e"},
    {"ing", ""},
    {"er", ""},
    {"est", ""},
    {"er", "e"},
    {"est", "e"},
}};

void check_file(const fs::path& path) {
  if (!fs::is_regular_file(path)) {
    throw DataError("there is no file '{}'. {}", path.string(), kRemedy);
  }
}

[[noreturn]] void reject(const LineReader& reader, std::string_view expected,
                         std::string_view line) {
  throw DataError("{}, line {}: expected {}, but found '{}'", reader.name(), reader.line_number(),
                  expected, for_message(line));
}

/// The parts between single or several spaces.
void split_at_spaces(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (size_t at = line.find_first_not_of(' '); at != std::string_view::npos;) {
    size_t end = std::min(line.find(' ', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
}

/// False where `field` isn't a whole number.
bool parse(std::string_view field, uint32_t& number) {
  auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && stop == field.data() + field.size();
}

/// The sets that a line of an index names,
///
///     lemma pos set_count pointer_count [pointer…] sense_count tagged_count set [set…]
///
/// or nothing where the line is malformed.
std::span<const std::string_view> sets_of_index_line(std::span<const std::string_view> fields) {
  constexpr size_t kOthers = 6;
  uint32_t sets = 0;
  uint32_t pointers = 0;
  if (fields.size() < kOthers || !parse(fields[2], sets) || !parse(fields[3], pointers)) return {};
  if (fields.size() != kOthers + size_t{pointers} + size_t{sets}) return {};
  return fields.last(sets);
}

void read_index(const fs::path& path, WordNumbers& lemmas, std::vector<Pair>& sets_of_lemmas) {
  check_file(path);
  LineReader reader(path.string());
  std::vector<std::string_view> fields;
  for (std::string line; reader.next(line);) {
    if (line.empty() || line.starts_with("  ")) continue;  // the licence
    split_at_spaces(line, fields);
    auto sets = sets_of_index_line(fields);
    bool good = !sets.empty();
    for (std::string_view set : sets) {
      uint32_t number = 0;
      good = good && set.size() == 8 && parse(set, number);
      if (good) sets_of_lemmas.emplace_back(lemmas.add(fields[0]), number);
    }
    if (!good) reject(reader, "a word and the eight-digit numbers of its sets", line);
  }
}

/// Irregular forms and their base forms. A base form that is no lemma has no sets, but a form whose
/// base forms are all unknown is an irregular one all the same.
using Exceptions = std::map<std::string, std::vector<uint32_t>, std::less<>>;

void read_exceptions(const fs::path& path, const WordNumbers& lemmas, Exceptions& bases_of_forms) {
  check_file(path);
  LineReader reader(path.string());
  std::vector<std::string_view> fields;
  for (std::string line; reader.next(line);) {
    if (line.empty()) continue;
    split_at_spaces(line, fields);
    if (fields.size() < 2) reject(reader, "a form and its base forms", line);
    auto& bases = bases_of_forms[std::string(fields[0])];
    for (size_t i = 1; i < fields.size(); ++i) {
      uint32_t base = lemmas.find(fields[i]);
      if (base != WordNumbers::kUnknown) bases.push_back(base);
    }
  }
}

void sort_and_remove_doubles(std::vector<uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The sets of each lemma as a list, from pairs in any order.
NumberLists lists_of(std::vector<Pair> pairs, uint32_t lemmas) {
  std::sort(pairs.begin(), pairs.end());
  NumberLists lists;
  std::vector<uint32_t> sets;
  auto pair = pairs.begin();
  for (uint32_t lemma = 0; lemma < lemmas; ++lemma) {
    sets.clear();
    for (; pair != pairs.end() && pair->first == lemma; ++pair) sets.push_back(pair->second);
    sort_and_remove_doubles(sets);
    lists.add(sets);
  }
  return lists;
}

}  // namespace

void NumberLists::add(std::span<const uint32_t> list) {
  numbers_.insert(numbers_.end(), list.begin(), list.end());
  ends_.push_back(static_cast<uint32_t>(numbers_.size()));
}

std::span<const uint32_t> NumberLists::of(uint32_t index) const {
  size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::span(numbers_).subspan(begin, ends_[index] - begin);
}

SynonymTable::SynonymTable(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw DataError("there is no folder '{}'. {}", folder.string(), kRemedy);
  }
  std::vector<Pair> sets_of_lemmas;
  for (const char* file : {"index.noun", "index.verb", "index.adj", "index.adv"}) {
    read_index(folder / file, words_, sets_of_lemmas);
  }
  lemmas_ = words_.size();
  own_sets_ = lists_of(std::move(sets_of_lemmas), lemmas_);

  Exceptions exceptions;
  for (const char* file : {"adj.exc", "adv.exc", "noun.exc", "verb.exc"}) {
    read_exceptions(folder / file, words_, exceptions);
  }
  irregular_forms_ = exceptions.size();
  for (const auto& [form, bases] : exceptions) words_.add(form);

  std::vector<uint32_t> sets;
  auto take_sets_of = [&](uint32_t lemma) {
    auto own = own_sets_.of(lemma);
    sets.insert(sets.end(), own.begin(), own.end());
  };
  for (uint32_t number = 0; number < words_.size(); ++number) {
    sets.clear();
    if (number < lemmas_) take_sets_of(number);
    auto exception = exceptions.find(words_.word(number));
    if (exception != exceptions.end()) {
      for (uint32_t base : exception->second) take_sets_of(base);
    } else {
      uint32_t base = regular_base(words_.word(number));
      if (base != WordNumbers::kUnknown) take_sets_of(base);
    }
    sort_and_remove_doubles(sets);
    all_sets_.add(sets);
  }
}

uint32_t SynonymTable::regular_base(std::string_view word) const {
  if (word.ends_with("ss") || word.size() <= 2) return WordNumbers::kUnknown;
  std::string base;
  for (const Ending& ending : kEndings) {
    if (!word.ends_with(ending.inflected)) continue;
    base = word.substr(0, word.size() - ending.inflected.size());
    base += ending.base;
    uint32_t number = words_.find(base);
    if (number < lemmas_) return number;
  }
  return WordNumbers::kUnknown;
}

std::span<const uint32_t> SynonymTable::sets_of(std::string_view word) const {
  uint32_t number = words_.find(word);
  if (number != WordNumbers::kUnknown) return all_sets_.of(number);
  uint32_t base = regular_base(word);
  if (base != WordNumbers::kUnknown) return own_sets_.of(base);
  return {};
}

bool SynonymTable::are_synonyms(std::string_view one, std::string_view other) const {
  return have_common_number(sets_of(one), sets_of(other));
}

bool have_common_number(std::span<const uint32_t> one, std::span<const uint32_t> other) {
  auto a = one.begin();
  auto b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (*a == *b) return true;
    if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return false;
}

}  // namespace bough
