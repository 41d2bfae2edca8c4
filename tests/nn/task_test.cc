// The table of tasks: its own laws, and that options are settled by it.
#include "bough/model/task.h"

#include <gtest/gtest.h>

#include "bough/base/error.h"
#include "bough/generate/writer_options.h"
#include "bough/train/train_options.h"
#include "error_messages.h"

namespace bough {
namespace {

constexpr std::array kPolicies{PolicyKind::kLstm, PolicyKind::kTransformer};

TrainOptions training_for(const TaskTraits& task, PolicyKind policy) {
  TrainOptions options;
  options.task = task.task;
  options.policy.policy = policy;
  options.train = "train.txt";
  if (task.needs_source_file()) options.source_train = "train.from";
  return options;
}

TEST(Task, EveryNameHasItsRow) {
  ASSERT_EQ(kTasks.size(), EnumNames<TaskKind>::kNames.size());
  for (size_t i = 0; i < kTasks.size(); ++i) {
    TaskKind task = EnumNames<TaskKind>::kNames[i].first;
    EXPECT_EQ(traits_of(task).task, task) << name_of(task);
  }
}

TEST(Task, RowsAgreeWithThemselves) {
  for (const TaskTraits& task : kTasks) {
    SCOPED_TRACE(name_of(task.task));
    ASSERT_FALSE(task.verbs.empty());
    EXPECT_TRUE(task.has_verb(task.tuned_verb));
    EXPECT_FALSE(task.has_verb("mow"));
    for (PolicyKind policy : kPolicies) {
      EncoderKind usual = task.usual_encoder(policy);
      EXPECT_TRUE(task.allows(usual, policy)) << name_of(policy);
      EXPECT_EQ(usual != EncoderKind::kNone, task.has_source()) << "who reads the source?";
    }
    EXPECT_EQ(task.has_answer, task.judge != JudgeKind::kSamples);
    EXPECT_EQ(usual_decode(task.task), task.has_answer ? Decode::kGreedy : Decode::kSample);
  }
}

/// A verb that isn't in the table would refuse every model.
TEST(Task, VerbsFindTheirTasks) {
  auto tasks_of = [](std::string_view verb) {
    return tasks_where([&](const TaskTraits& task) { return task.has_verb(verb); });
  };
  EXPECT_EQ(tasks_of("generate"), "lm");
  EXPECT_EQ(tasks_of("complete"), "lm");
  EXPECT_EQ(tasks_of("eval completion"), "lm");
  EXPECT_EQ(tasks_of("reorder"), "reorder");
  EXPECT_EQ(tasks_of("translate"), "translate");
  EXPECT_EQ(tasks_where([](const TaskTraits& task) { return task.has_source(); }),
            "reorder or translate");
}

TEST(Task, TrainingTakesTheEncodersOfTheTableAndNoOthers) {
  for (const TaskTraits& task : kTasks) {
    for (PolicyKind policy : kPolicies) {
      TrainOptions options = training_for(task, policy);
      EXPECT_EQ(settled(options).policy.encoder, task.usual_encoder(policy));
      for (const auto& [encoder, name] : EnumNames<EncoderKind>::kNames) {
        if (encoder == EncoderKind::kNone) continue;  // nobody has named one
        options.policy.encoder = encoder;
        if (task.allows(encoder, policy)) {
          EXPECT_EQ(settled(options).policy.encoder, encoder);
        } else {
          expect_contains(
              message_of<UsageError>([&] { settled(options); }),
              std::string(name) + " does not fit --task " + std::string(name_of(task.task)));
        }
      }
    }
  }
}

TEST(Task, TrainingTakesAFileOfSourcesWhereTheTableSaysSo) {
  for (const TaskTraits& task : kTasks) {
    TrainOptions options = training_for(task, PolicyKind::kLstm);
    EXPECT_NO_THROW(settled(options));
    options.source_train = task.needs_source_file() ? "" : "train.from";
    expect_contains(message_of<UsageError>([&] { settled(options); }), "--task translate");
  }
}

}  // namespace
}  // namespace bough
