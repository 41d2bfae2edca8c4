#include "bough/data/personachat.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

using nlohmann::json;
using Take = std::function<void(Split, std::string_view)>;

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kSilence = "__SILENCE__";
constexpr std::string_view kJsonName = "personachat_self_original.json";
constexpr std::string_view kRemedy =
    "Name with --raw a folder with ParlAI's files (train_both_original.txt, "
    "train_both_revised.txt, valid_…, test_…), or personachat_self_original.json";

// ---- ParlAI's text files

/// The names a split's files may have, in the order they are read.
std::vector<std::string> text_file_names(Split split) {
  std::vector<std::string> names;
  for (std::string_view personas : {"both", "self", "other", "none"}) {
    for (std::string_view version : {"original", "revised"}) {
      for (std::string_view candidates : {"", "_no_cands"}) {
        names.push_back(
            fmt::format("{}_{}_{}{}.txt", name_of(split), personas, version, candidates));
      }
    }
  }
  return names;
}

/// What stands behind the number at the start of a line.
std::string_view without_number(std::string_view line, const TextReader& reader) {
  size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0 || digits == line.size() || line[digits] != ' ') {
    throw DataError(
        "{}, line {}: no number at the start; expected '1 your persona: …' or '3 an "
        "utterance<TAB>the reply', but found '{}'",
        reader.name(), reader.line_number(), for_message(line));
  }
  return line.substr(digits + 1);
}

/// The sentence of a persona line.
std::optional<std::string_view> persona_of(std::string_view text) {
  for (std::string_view start : {"your persona:", "partner's persona:", "partner persona:"}) {
    if (text.starts_with(start)) return text.substr(start.size());
  }
  return std::nullopt;
}

void read_text_file(const fs::path& path, Split split, const Take& take) {
  TextReader reader(path.string());
  std::string line;
  while (reader.next(line)) {
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    std::string_view text = without_number(line, reader);
    if (auto persona = persona_of(text)) {
      take(split, *persona);
      continue;
    }
    size_t tab = text.find('\t');
    take(split, text.substr(0, tab));
    if (tab == kNowhere) continue;
    text.remove_prefix(tab + 1);
    take(split, text.substr(0, text.find('\t')));
  }
}

std::vector<Split> read_text_folder(const fs::path& folder, const Take& take) {
  std::vector<Split> splits;
  for (Split split : kAllSplits) {
    bool any = false;
    for (const std::string& name : text_file_names(split)) {
      if (!fs::is_regular_file(folder / name)) continue;
      read_text_file(folder / name, split, take);
      any = true;
    }
    if (any) splits.push_back(split);
  }
  return splits;
}

// ---- JSON

/// Reads the dialogues one by one while the file is parsed: all of them together would take
/// gigabytes.
class JsonReader {
 public:
  JsonReader(const fs::path& path, const Take& take) : name_(path.string()), take_(take) {}

  std::vector<Split> read() {
    std::ifstream file(name_, std::ios::binary);
    if (!file) throw DataError("cannot read '{}'", name_);
    try {
      std::ignore = json::parse(file, [this](int depth, json::parse_event_t event, json& value) {
        return meet(depth, event, value);
      });
    } catch (const json::parse_error& error) {
      throw DataError("'{}' is not valid JSON (near byte {}). {}", name_, error.byte, kRemedy);
    } catch (const json::exception& error) {
      throw DataError("'{}' cannot be read as JSON: {}. {}", name_, error.what(), kRemedy);
    }
    if (splits_.empty()) fail("the top", "an object with \"train\" and \"valid\"");
    return splits_;
  }

 private:
  using Event = json::parse_event_t;

  [[noreturn]] void fail(std::string_view field, std::string_view expected) const {
    throw DataError("'{}': {} is not {}. {}", name_, field, expected, kRemedy);
  }

  /// Called at each step of the parser, with the number of containers around it; false discards the
  /// value.
  bool meet(int depth, Event event, json& value) {
    bool ends = event == Event::object_end || event == Event::array_end;
    if (depth == 0 && !ends && event != Event::object_start) {
      fail("the top", "an object with \"train\" and \"valid\"");
    }
    if (depth == 1 && event == Event::key) start_split(value.get<std::string>());
    if (!split_) return depth <= 1;
    if (depth == 1 && event != Event::key && !ends && event != Event::array_start) {
      fail(fmt::format("\"{}\"", name_of(*split_)), "a list of dialogues");
    }
    if (depth != 2) return true;
    if (event != Event::object_start && event != Event::object_end) {
      fail(place(), "a dialogue, {\"personality\": […], \"utterances\": […]}");
    }
    if (event == Event::object_start) return true;
    take_dialogue(value);
    ++dialogue_;
    return false;
  }

  void start_split(std::string_view key) {
    split_.reset();
    dialogue_ = 0;
    for (Split split : kAllSplits) {
      if (name_of(split) == key) split_ = split;
    }
    if (split_ && std::find(splits_.begin(), splits_.end(), *split_) == splits_.end()) {
      splits_.push_back(*split_);
    }
  }

  std::string place() const { return fmt::format("\"{}\"[{}]", name_of(*split_), dialogue_); }

  /// The list of strings `object[key]`.
  std::vector<std::string> strings(const json& object, const char* key,
                                   const std::string& where) const {
    const json* list = object.is_object() && object.contains(key) ? &object[key] : nullptr;
    bool fits = list != nullptr && list->is_array() &&
                std::all_of(list->begin(), list->end(),
                            [](const json& element) { return element.is_string(); });
    if (!fits) fail(fmt::format("{}.{}", where, key), "a list of strings");
    return list->get<std::vector<std::string>>();
  }

  void take_dialogue(const json& dialogue) const {
    for (const auto& sentence : strings(dialogue, "personality", place())) take_(*split_, sentence);
    if (!dialogue.contains("utterances") || !dialogue["utterances"].is_array()) {
      fail(place() + ".utterances", "a list of {\"history\": […], \"candidates\": […]}");
    }
    const json& utterances = dialogue["utterances"];
    for (size_t i = 0; i < utterances.size(); ++i) {
      std::string where = fmt::format("{}.utterances[{}]", place(), i);
      for (const auto& turn : strings(utterances[i], "history", where)) take_(*split_, turn);
      auto candidates = strings(utterances[i], "candidates", where);
      if (candidates.empty()) fail(where + ".candidates", "a list with the reply as its last");
      take_(*split_, candidates.back());
    }
  }

  std::string name_;
  const Take& take_;
  std::vector<Split> splits_;
  std::optional<Split> split_;  // whose dialogues are being read
  size_t dialogue_ = 0;
};

}  // namespace

std::vector<Split> read_personachat(const fs::path& raw, const Take& take) {
  if (!fs::exists(raw)) {
    throw DataError("there is no file or folder '{}'. {}", raw.string(), kRemedy);
  }
  Take take_spoken = [&take](Split split, std::string_view sentence) {
    std::string line = one_line(sentence);
    if (!line.empty() && line != kSilence) take(split, line);
  };
  if (!fs::is_directory(raw)) return JsonReader(raw, take_spoken).read();
  auto splits = read_text_folder(raw, take_spoken);
  if (!splits.empty()) return splits;
  if (fs::exists(raw / kJsonName)) return JsonReader(raw / kJsonName, take_spoken).read();
  throw DataError("the folder '{}' has none of Persona-Chat's files. {}", raw.string(), kRemedy);
}

SplitCounts write_personachat(const PersonachatOptions& options, const Tokenizer& tokenizer,
                              const fs::path& out) {
  SplitCorpus corpus(options.endings());
  auto splits = read_personachat(options.raw, [&](Split split, std::string_view sentence) {
    std::string line = join_words(tokenizer.split(sentence));
    corpus.add(split, {&line, 1});
  });
  if (corpus.counts().total() == 0) {
    throw DataError("'{}' has no sentences. {}", options.raw, kRemedy);
  }
  corpus.write(out, splits);
  return corpus.counts();
}

}  // namespace bough
