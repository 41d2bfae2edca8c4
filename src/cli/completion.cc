#include "completion.h"
#include "bough/data/shipped_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace bough::cli {

namespace {

class Completion {
 public:
  Completion(std::span<const std::string> words, Commands commands) : commands_(commands) {
    // bash takes `--name=value` for three words.
    for (const std::string& word : words) {
      if (word != "=") words_.push_back(word);
    }
    if (words_.empty() || (!words.empty() && words.back() == "=")) words_.emplace_back();
    last_ = words_.back();
  }

  std::string text() {
    if (words_.size() == 1) {
      offer_verbs("");
      for (const char* word : {"--help", "--version"}) offer(word, "");
    } else if (words_[0] == "help") {
      offer_verbs(words_.size() == 2 ? "" : words_[1] + " ");
    } else {
      if (words_.size() == 2) offer_verbs(words_[0] + " ");
      if (const auto* command = find_command()) offer_for(**command);
    }
    return result_;
  }

 private:
  void offer(std::string_view word, std::string_view meaning) {
    if (!word.starts_with(last_) || !offered_.emplace(word).second) return;
    result_ += fmt::format("{}\t{}\n", word, meaning);
  }

  /// The next word of verbs that begin with `prefix`.
  void offer_verbs(const std::string& prefix) {
    for (const auto& command : commands_) {
      std::string_view name = command->name();
      if (!name.starts_with(prefix)) continue;
      std::string_view rest = name.substr(prefix.size());
      bool group = rest.find(' ') != std::string_view::npos;
      offer(rest.substr(0, rest.find(' ')), group ? "a group of verbs" : command->summary());
    }
  }

  /// The verb that the first words name: of two words, or of one.
  const std::unique_ptr<Command>* find_command() {
    for (size_t count : {2, 1}) {
      if (words_.size() <= count) continue;
      std::string name = count == 2 ? words_[0] + " " + words_[1] : words_[0];
      for (const auto& command : commands_) {
        if (command->name() == name) {
          first_ = count;
          return &command;
        }
      }
    }
    return nullptr;
  }

  void offer_for(Command& command) {
    OptionSet set;
    command.declare(set);
    const Option* open = option_at(set, words_.size() - 2);
    if (open != nullptr && open->kind != Option::Kind::kFlag) {
      offer_values(*open, "");
      return;
    }
    size_t split = last_.find('=');
    if (last_.starts_with("--") && split != std::string::npos) {
      const Option* option = set.find(std::string_view(last_).substr(2, split - 2));
      if (option != nullptr) offer_values(*option, last_.substr(0, split + 1));
      return;
    }
    if (const Option* list = list_under_way(set)) offer_values(*list, "");
    for (const Option& option : set.options()) offer("--" + option.name, option.help);
  }

  /// `-m bleu chrf`: a list of choices to which the last word could belong, too.
  const Option* list_under_way(OptionSet& set) const {
    for (size_t at = words_.size() - 2; at >= first_; --at) {
      const Option* option = option_at(set, at);
      if (option != nullptr) return option->names.empty() ? nullptr : option;
    }
    return nullptr;
  }

  const Option* option_at(OptionSet& set, size_t index) const {
    if (index < first_) return nullptr;
    const std::string& word = words_[index];
    if (word.starts_with("--")) return set.find(std::string_view(word).substr(2));
    if (word.size() != 2 || word[0] != '-') return nullptr;
    for (const Option& option : set.options()) {
      if (option.short_name == word[1]) return &option;
    }
    return nullptr;
  }

  void offer_values(const Option& option, const std::string& before) {
    if (option.kind == Option::Kind::kChoice || !option.names.empty()) {
      std::string_view rest = option.allowed;  // `greedy|sample`
      while (!rest.empty()) {
        size_t end = std::min(rest.find('|'), rest.size());
        offer(before + std::string(rest.substr(0, end)), "");
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    } else if (option.allowed == "DIR") {
      for (const ShippedModel& model : option.is_model ? shipped_models() : ShippedModels{}) {
        offer(before + model.name, "a shipped model");
      }
      result_ += ":folders\n";
    } else if (option.allowed == "FILE" || option.allowed == "PATH" || option.allowed == "HYP") {
      result_ += ":files\n";
    }
  }

  Commands commands_;
  std::vector<std::string> words_;
  std::string last_;
  size_t first_ = 1;  // word behind the verb
  std::set<std::string, std::less<>> offered_;
  std::string result_;
};

}  // namespace

std::string candidates_text(std::span<const std::string> words, Commands commands) {
  return Completion(words, commands).text();
}

}  // namespace bough::cli
