// Options, declared once.
//
// An options struct lists its fields in one function,
//
//     struct SamplerOptions {
//       double temperature = 1.0;
//       void declare(OptionSet& set) {
//         set.number("temperature", temperature, {0.0, 100.0}, "divides the logits");
//       }
//     };
//
// and the command line, environment, configuration file, JSON in checkpoints (options_json.h),
// shell completion and the reference page are all made from that list. An OptionSet refers to the
// struct's fields: the struct must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bough/base/enum_names.h"

namespace bough {

template <typename Number>
struct Range {
  Number low = std::numeric_limits<Number>::lowest();
  Number high = std::numeric_limits<Number>::max();
};

/// What an option can hold; a choice is its name.
using OptionValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

/// What becomes of an option where a run that was begun with it goes on.
enum class OnResume {
  kFixed,      // it says what is computed: another value is refused
  kMayChange,  // when to stop, what to show, where things are: the run's value unless it is set
  kThisCall,   // it is about the one call; the run's value is nothing to go by
};

struct Option {
  enum class Kind { kFlag, kInteger, kNumber, kText, kChoice, kList };

  std::string name;  // without dashes
  std::string help;
  std::string group;
  Kind kind = Kind::kText;
  std::string allowed;     // for messages and help: `1 or more`, `greedy|sample`, `FILE`
  char short_name = '\0';  // `-n` beside `--count`
  bool required = false;   // something has to set it
  bool is_model = false;   // a model's folder, or the name of one that comes with the program
  bool was_set = false;    // by any of the layers
  std::string set_by;      // as messages name it: `--layers`, `BOUGH_LAYERS`, `'file', …`
  OnResume on_resume = OnResume::kFixed;
  /// Whether it is about the program that runs: its files, threads and output. A request to a
  /// server has no such option.
  bool of_program = false;
  OptionValue initial;        // the default
  std::optional<double> low;  // of numbers that have a bound
  std::optional<double> high;
  std::vector<std::string> names;  // what a list of choices may hold

  /// Parses, checks and stores; throws UsageError. A list appends.
  std::function<void(const std::string&)> set;
  std::function<OptionValue()> get;
  std::function<void()> clear_list;  // only for lists

  Option& names_model() {
    is_model = true;
    return *this;
  }
  Option& may_change_on_resume() {
    on_resume = OnResume::kMayChange;
    return *this;
  }
  Option& about_the_program() {
    of_program = true;
    return *this;
  }
  Option& of_this_call() {
    on_resume = OnResume::kThisCall;
    return *this;
  }
};

class OptionSet {
 public:
  /// Options declared from here on stand under this heading in the help.
  void group(std::string_view heading) { group_ = heading; }

  Option& flag(std::string_view name, bool& value, std::string_view help);
  Option& integer(std::string_view name, int64_t& value, Range<int64_t> range,
                  std::string_view help);
  Option& number(std::string_view name, double& value, Range<double> range, std::string_view help);
  /// `placeholder` names what is expected: FILE, DIR, TEXT.
  Option& text(std::string_view name, std::string& value, std::string_view placeholder,
               std::string_view help);
  Option& list(std::string_view name, std::vector<std::string>& value, std::string_view placeholder,
               std::string_view help);

  template <typename Enum>
  Option& choice(std::string_view name, Enum& value, std::string_view help) {
    std::vector<std::string_view> names;
    for (const auto& entry : EnumNames<Enum>::kNames) names.push_back(entry.second);
    return add_choice(
        name, names, [&value](size_t index) { value = EnumNames<Enum>::kNames[index].first; },
        [&value] { return std::string(name_of(value)); }, help);
  }

  /// A list of named values. On the command line several may follow one option, `-m bleu chrf`, or
  /// stand in one text: `-m bleu,chrf`.
  template <typename Enum>
  Option& choices(std::string_view name, std::vector<Enum>& value, std::string_view help) {
    std::vector<std::string_view> names;
    for (const auto& entry : EnumNames<Enum>::kNames) names.push_back(entry.second);
    return add_choices(
        name, names,
        [&value](size_t index) { value.push_back(EnumNames<Enum>::kNames[index].first); },
        [&value] {
          std::vector<std::string> items;
          for (Enum item : value) items.emplace_back(name_of(item));
          return items;
        },
        [&value] { value.clear(); }, help);
  }

  std::span<Option> options() { return options_; }
  std::span<const Option> options() const { return options_; }
  Option* find(std::string_view name);

  /// Whether a flag, which has been declared, is set.
  bool is_on(std::string_view flag) { return std::get<bool>(find(flag)->get()); }

  /// Sets one option from text; `where` says in messages where the text came from
  /// ("--layers", "BOUGH_LAYERS", "'bough.toml', line 3").
  void set(std::string_view name, const std::string& value, std::string_view where);

  /// The known option that is spelled most like `name`, for messages; empty where none is near.
  std::string nearest(std::string_view name) const;

  /// UsageError where a required option was set by nothing.
  void check_required() const;

 private:
  Option& add(std::string_view name, Option::Kind kind, std::string allowed, std::string_view help);
  Option& add_choice(std::string_view name, const std::vector<std::string_view>& names,
                     std::function<void(size_t)> set, std::function<std::string()> get,
                     std::string_view help);
  Option& add_choices(std::string_view name, const std::vector<std::string_view>& names,
                      std::function<void(size_t)> add,
                      std::function<std::vector<std::string>()> get, std::function<void()> clear,
                      std::string_view help);

  std::string group_;
  std::vector<Option> options_;
};

/// The word of `candidates` within a few edits of `word`, or empty.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace bough
