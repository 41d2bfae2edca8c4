#include "bough/generate/template.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/text/bpe_codes.h"
#include "bough/text/european_tokenizer.h"

namespace bough {

namespace {

constexpr Gap kNoGap{.min = 0, .max = 0};

bool is_underscores(std::string_view token) {
  return token.size() >= 3 && token.find_first_not_of('_') == std::string_view::npos;
}

[[noreturn]] void refuse_gap(std::string_view token) {
  throw DataError(
      "'{}' is no gap: write ___, <blank>, <blank:2>, <blank:1-3>, <blank:2-> or <blank:-3>",
      for_message(token));
}

int64_t parse_bound(std::string_view digits, std::string_view token) {
  int64_t value = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool good = error == std::errc() && stop == digits.data() + digits.size();
  if (!good || value < 0 || value > 100'000) refuse_gap(token);
  return value;
}

/// What isn't a gap but was surely meant to be one: `<BLANK:1-2>`, `<blank`, `[blank]`.
bool is_almost_a_gap(std::string_view token) {
  constexpr std::string_view kName = "blank";
  if (token.size() <= kName.size() || std::string_view("<[{").find(token[0]) == token.npos) {
    return false;
  }
  bool longer = token.size() > kName.size() + 1 &&  // `<blanket>` is a word
                std::isalpha(static_cast<unsigned char>(token[kName.size() + 1])) != 0;
  if (longer) return false;
  std::string_view name = token.substr(1, kName.size());
  return std::equal(name.begin(), name.end(), kName.begin(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

/// A gap's bounds, if the token is a gap.
bool parse_gap(std::string_view token, Gap& gap) {
  gap = Gap{};
  if (is_underscores(token) || token == "<blank>") return true;
  if (!token.starts_with("<blank:")) {
    if (is_almost_a_gap(token)) refuse_gap(token);
    return false;
  }
  if (!token.ends_with('>')) refuse_gap(token);
  std::string_view bounds = token.substr(7, token.size() - 8);
  size_t dash = bounds.find('-');
  if (dash == std::string_view::npos) {
    gap.min = gap.max = parse_bound(bounds, token);
    return true;
  }
  if (bounds == "-") refuse_gap(token);
  std::string_view low = bounds.substr(0, dash);
  std::string_view high = bounds.substr(dash + 1);
  if (!low.empty()) gap.min = parse_bound(low, token);
  if (!high.empty()) gap.max = parse_bound(high, token);
  return true;
}

/// Two gaps side by side are one.
Gap joined(const Gap& a, const Gap& b) {
  return {.min = a.min + b.min, .max = std::min(Gap::kUnbounded, a.max + b.max)};
}

/// Reads a tree in order, noting depths.
class SeedTreeReader {
 public:
  explicit SeedTreeReader(const TemplateWords& words) : words_(words) {}

  Demands read(const nlohmann::json& tree) {
    demands_ = {.gaps = {}, .unfinished = words_.unfinished()};
    read_side(tree, 0);
    return std::move(demands_);
  }

 private:
  static constexpr int kDeepest = 1000;

  /// A tree with the gaps before and behind all of its words, or one gap.
  void read_side(const nlohmann::json& side, int depth) {
    if (side.is_null() || side == "<end>") {
      demands_.gaps.push_back(side.is_null() ? Gap{} : kNoGap);
      return;
    }
    auto token = side.is_object() ? side.find("token") : side.end();
    if (token == side.end() || !token->is_string() || depth > kDeepest) {
      throw DataError(
          "a seed tree is an object with \"token\", \"left\" and \"right\"; a side is such an "
          "object, null for an open slot or \"<end>\" for a closed one");
    }
    for (const auto& [key, value] : side.items()) {
      if (key != "token" && key != "left" && key != "right") {
        throw DataError("a seed tree has \"token\", \"left\" and \"right\", no \"{}\"",
                        for_message(key));
      }
    }
    std::vector<GivenWord> words = words_.split(token->get<std::string>());
    if (words.size() != 1) {
      throw DataError("'{}' is {} words, but a node of a seed tree holds one",
                      for_message(token->get<std::string>()), words.size());
    }
    read_side(child_of(side, "left"), depth + 1);
    demands_.given.push_back(std::move(words[0]));
    demands_.ranks.push_back(depth);
    read_side(child_of(side, "right"), depth + 1);
  }

  /// Without a copy: each level would copy all below it.
  static const nlohmann::json& child_of(const nlohmann::json& tree, const char* side) {
    static const nlohmann::json kOpen;
    auto found = tree.find(side);
    return found == tree.end() ? kOpen : *found;
  }

  const TemplateWords& words_;
  Demands demands_;
};

}  // namespace

TemplateWords::TemplateWords(const Tokenizer& tokenizer, const Vocabulary& vocabulary)
    : tokenizer_(tokenizer), vocabulary_(vocabulary) {
  if (tokenizer.codes() == nullptr) return;
  unfinished_ =
      std::make_shared<const std::vector<WordId>>(tokenizer.unfinished_pieces(vocabulary));
}

std::vector<GivenWord> TemplateWords::split(std::string_view text) const {
  WordId whole = vocabulary_.id(text);
  if (whole != kUnknown) return {{whole, std::string(text)}};  // a token, with its joiner perhaps
  std::vector<GivenWord> result;
  for (std::string& token : tokenizer_.split(text)) {
    std::string word = known_token(std::move(token), vocabulary_);
    WordId id = vocabulary_.id(word);
    result.push_back({id, std::move(word)});
  }
  return result;
}

Demands parse_template(std::string_view line, const TemplateWords& words) {
  Demands demands{.gaps = {kNoGap}, .unfinished = words.unfinished()};
  for (std::string_view token : split_at_white_space(line)) {
    Gap gap;
    if (parse_gap(token, gap)) {
      demands.gaps.back() = joined(demands.gaps.back(), gap);
      continue;
    }
    for (GivenWord& word : words.split(token)) {
      demands.given.push_back(std::move(word));
      demands.gaps.push_back(kNoGap);
    }
  }
  return demands;
}

Demands parse_seed_tree(const nlohmann::json& tree, const TemplateWords& words) {
  return SeedTreeReader(words).read(tree);
}

Demands demand_phrases(std::span<const std::string> phrases, const TemplateWords& words) {
  Demands demands{.unfinished = words.unfinished()};
  for (const std::string& phrase : phrases) {
    std::vector<GivenWord> given = words.split(phrase);
    for (size_t i = 0; i < given.size(); ++i) {
      demands.given.push_back(std::move(given[i]));
      demands.gaps.push_back(i + 1 < given.size() ? kNoGap : Gap{});
    }
  }
  return demands;
}

std::vector<std::string> split_phrases(std::string_view list) {
  std::vector<std::string> phrases;
  while (!list.empty()) {
    std::string_view phrase = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), phrase.size() + 1));
    if (!split_at_white_space(phrase).empty()) phrases.emplace_back(phrase);
  }
  return phrases;
}

}  // namespace bough
