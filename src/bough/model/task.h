// What a model is for, and all that follows from it.
//
// A task is a row of `kTasks`. Whoever has to act by the task asks its row for what matters there
// (is there a file of sources? which encoders may read them?) and never which task it is: a new
// task is a name, a row, and what is truly new about it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bough/base/options.h"
#include "bough/metrics/bleu_words.h"
#include "bough/model/policy_options.h"

namespace bough {

enum class TaskKind { kLm, kReorder, kTranslate };
template <>
struct EnumNames<TaskKind> {
  static constexpr auto kNames =
      std::to_array<EnumName<TaskKind>>({{TaskKind::kLm, "lm"},
                                         {TaskKind::kReorder, "reorder"},
                                         {TaskKind::kTranslate, "translate"}});
};

/// What a sentence is written from.
enum class SourceKind {
  kNothing,
  kOwnWords,      // in no order, so that no file has to hold them; whole words only
  kParallelText,  // another sentence, with a tokenizer and a vocabulary, which may be shared
};

/// How models in training are judged by what they write (train/judge.h).
enum class JudgeKind { kSamples, kOrder, kTranslations };

struct TaskTraits {
  TaskKind task;
  std::span<const std::string_view> verbs;  // that take such a model; the first is tried first
  std::string_view tuned_verb;              // the one that `bough tune` chooses settings for
  SourceKind source;
  std::span<const EncoderKind> encoders;  // that may read it; the first that fits the policy does
  JudgeKind judge;
  /// Whether there is a right sentence: it is decoded greedily, and BLEU against it says which
  /// model is the best. Else sentences are drawn, and the loss says it.
  bool has_answer;
  BleuTokenizer bleu_tokenizer;  // of what is written; `none` where words are tokens already

  constexpr bool has_source() const { return source != SourceKind::kNothing; }
  constexpr bool needs_source_file() const { return source == SourceKind::kParallelText; }
  /// Whether each word of the source can be demanded, as often as it is there (`--exact`).
  constexpr bool can_be_exact() const { return source == SourceKind::kOwnWords; }

  /// Whether such a model may have this encoder in this policy.
  constexpr bool allows(EncoderKind encoder, PolicyKind policy) const {
    for (EncoderKind allowed : encoders) {
      if (allowed == encoder && fits(policy, encoder)) return true;
    }
    return false;
  }
  /// The encoder that a policy gets where nobody names one.
  constexpr EncoderKind usual_encoder(PolicyKind policy) const {
    for (EncoderKind encoder : encoders) {
      if (fits(policy, encoder)) return encoder;
    }
    return EncoderKind::kNone;
  }
  constexpr bool has_verb(std::string_view verb) const {
    for (std::string_view own : verbs) {
      if (own == verb) return true;
    }
    return false;
  }
};

namespace task_lists {

inline constexpr auto kLmVerbs =
    std::to_array<std::string_view>({"generate", "complete", "eval completion"});
inline constexpr auto kReorderVerbs = std::to_array<std::string_view>({"reorder"});
inline constexpr auto kTranslateVerbs = std::to_array<std::string_view>({"translate"});

inline constexpr std::array kNoEncoder{EncoderKind::kNone};
inline constexpr std::array kBagEncoder{EncoderKind::kBag};
inline constexpr std::array kSequenceEncoders{EncoderKind::kBilstm, EncoderKind::kTransformer};

}  // namespace task_lists

/// By TaskKind.
inline constexpr auto kTasks =
    std::to_array<TaskTraits>({{.task = TaskKind::kLm,
                                .verbs = task_lists::kLmVerbs,
                                .tuned_verb = "complete",
                                .source = SourceKind::kNothing,
                                .encoders = task_lists::kNoEncoder,
                                .judge = JudgeKind::kSamples,
                                .has_answer = false,
                                .bleu_tokenizer = BleuTokenizer::kNone},
                               {.task = TaskKind::kReorder,
                                .verbs = task_lists::kReorderVerbs,
                                .tuned_verb = "reorder",
                                .source = SourceKind::kOwnWords,
                                .encoders = task_lists::kBagEncoder,
                                .judge = JudgeKind::kOrder,
                                .has_answer = true,
                                .bleu_tokenizer = BleuTokenizer::kNone},
                               {.task = TaskKind::kTranslate,
                                .verbs = task_lists::kTranslateVerbs,
                                .tuned_verb = "translate",
                                .source = SourceKind::kParallelText,
                                .encoders = task_lists::kSequenceEncoders,
                                .judge = JudgeKind::kTranslations,
                                .has_answer = true,
                                .bleu_tokenizer = BleuTokenizer::k13a}});

constexpr const TaskTraits& traits_of(TaskKind task) {
  return kTasks[static_cast<size_t>(task)];
}

/// The names of the tasks of which something is true, for messages: "reorder or translate".
template <typename Condition>
std::string tasks_where(const Condition& condition) {
  std::string names;
  for (const TaskTraits& traits : kTasks) {
    if (!condition(traits)) continue;
    if (!names.empty()) names += " or ";
    names += name_of(traits.task);
  }
  return names;
}

}  // namespace bough
