// The library (bough/bough.h) beside the real program: the same questions have the same answers.
#include "bough/bough.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

std::vector<Json> objects_of(const std::string& lines) {
  std::vector<Json> objects;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) objects.push_back(Json::parse(line));
  return objects;
}

/// What the program says, as JSON lines.
std::vector<Json> asked(const Words& call, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--format", "jsonl", "--quiet", "--threads", "1"}, input);
  EXPECT_TRUE(fine(outcome));
  return objects_of(outcome.out);
}

void expect_same(const Sentence& own, const Json& told) {
  EXPECT_EQ(own.text, told.at("text"));
  Json trace = Json::parse(to_json(own.trace).dump());
  EXPECT_EQ(trace.at("nodes"), told.at("nodes"));
  EXPECT_EQ(own.tokens, own.trace.sentence());
  EXPECT_EQ(own.logprob, own.trace.logprob());
}

const LoadedModel& english() {
  static const LoadedModel kModel("english", {.threads = 1});
  return kModel;
}

TEST(Library, KnowsShippedModelsByName) {
  std::vector<std::string> names = shipped_model_names();
  EXPECT_EQ(names, (std::vector<std::string>{"english", "german-english", "order"}));
  EXPECT_EQ(english().task(), "lm");
  EXPECT_GT(english().vocabulary_size(), 1000);
  EXPECT_GT(english().parameter_count(), 1'000'000);
  EXPECT_EQ(Json::parse(english().config()).at("task"), "lm");
  EXPECT_EQ(english().tokenize("I'm here."),
            asked({"complete", "--model", "english"}, "I'm here.\n").at(0).at("tokens"));
  try {
    load("englisch");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(has(error.what(), "english"));
  }
}

TEST(Library, GeneratesWhatTheProgramDoes) {
  SentenceList own = english().generate({.count = 4, .seed = 7, .top_k = 40});
  std::vector<Json> told =
      asked({"generate", "--model", "english", "-n", "4", "--seed", "7", "--top-k", "40"});
  ASSERT_EQ(own.size(), told.size());
  for (size_t i = 0; i < own.size(); ++i) expect_same(own[i], told[i]);
  // Options without a field of their own; what was tuned for the model counts unless it is set.
  SentenceList hot = english().generate({.count = 4, .seed = 7, .others = {{"temperature", 2.0}}});
  SentenceList same = english().generate({.count = 4, .seed = 7, .temperature = 2.0});
  EXPECT_EQ(hot[0].text + hot[1].text, same[0].text + same[1].text);
  EXPECT_NE(hot[0].text + hot[1].text, own[0].text + own[1].text);
}

TEST(Library, CompletesAndForcesWords) {
  std::vector<std::string> templates = {"___ favorite ___ !", "I ___ <blank:1-3> dog ."};
  std::vector<SentenceList> own = english().complete(templates, {.count = 2, .seed = 3});
  std::vector<Json> told = asked({"complete", "--model", "english", "-n", "2", "--seed", "3"},
                                 templates[0] + "\n" + templates[1] + "\n");
  ASSERT_EQ(told.size(), 4U);
  for (size_t i = 0; i < 4; ++i) expect_same(own.at(i / 2).at(i % 2), told[i]);
  SentenceList forced = english().complete({.length = 9, .must = {"dog", "park"}});
  EXPECT_TRUE(has(forced.at(0).text, "dog"));
  EXPECT_TRUE(has(forced.at(0).text, "park"));
  EXPECT_EQ(forced.at(0).tokens.size(), 9U);
  expect_same(forced.at(0),
              asked({"complete", "--model", "english", "--must", "dog,park", "--length", "9"})[0]);
}

TEST(Library, OrdersAndTranslates) {
  std::vector<std::string> bags = {"dog the barks ."};
  Sentence ordered = load("order", {.threads = 1}).reorder(bags, {.exact = true}).at(0).at(0);
  expect_same(ordered, asked({"reorder", "--model", "order", "--exact"}, bags[0] + "\n")[0]);
  std::vector<std::string> sources = {"Ich habe Hunger.", "", "Wo ist der Bahnhof?"};
  LoadedModel translator("german-english", {.threads = 1});
  std::vector<SentenceList> own = translator.translate(sources, {.beam_size = 3, .nbest = 2});
  ASSERT_EQ(own.size(), 3U);
  EXPECT_TRUE(own[1].empty());
  Outcome outcome = bough({"translate", "--model", "german-english", "--beam-size", "3", "--nbest",
                           "2", "--format", "jsonl", "--quiet", "--threads", "1"},
                          sources[0] + "\n" + sources[2] + "\n");
  std::vector<Json> told = objects_of(outcome.out);
  ASSERT_EQ(told.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const Sentence& sentence = own.at(i / 2 * 2).at(i % 2);
    EXPECT_EQ(sentence.text, told[i].at("text"));
    EXPECT_EQ(sentence.score, told[i].at("score"));
  }
}

TEST(Library, ScoresWhatTheProgramDoes) {
  std::vector<std::string> texts = {"I like my dog.", "", "Dog my like I."};
  std::vector<Score> own = english().score(texts, {.samples = 8, .by_word = true});
  std::vector<Json> told =
      asked({"score", "--model", "english", "--samples", "8", "--by-word"}, "I like my dog.\n");
  ASSERT_EQ(own.size(), 3U);
  EXPECT_EQ(own[0].logprob, told.at(0).at("logprob"));
  EXPECT_EQ(own[0].low, told.at(0).at("low"));
  EXPECT_EQ(own[0].perplexity, told.at(0).at("perplexity"));
  ASSERT_EQ(own[0].by_word.size(), told.at(0).at("by_word").size());
  EXPECT_EQ(own[0].by_word[1].without, told.at(0).at("by_word").at(1).at("without"));
  EXPECT_EQ(own[1].tokens, 0);
  EXPECT_LT(own[2].logprob, own[0].logprob);
}

TEST(Library, TellsOfWordsAsTheyAreWritten) {
  std::vector<std::string> so_far;
  std::vector<Insertion> words;
  SentenceList found =
      english().generate({.count = 1, .seed = 2}, {.on_word = [&](const Insertion& word) {
                           so_far.insert(so_far.begin() + word.index, word.token);
                           words.push_back(word);
                         }});
  EXPECT_EQ(so_far, found.at(0).tokens);
  EXPECT_EQ(words.at(0).parent, Tree::kNone);
  struct Enough {};
  int steps = 0;
  EXPECT_THROW(english().generate({.count = 1000}, {.check =
                                                        [&] {
                                                          if (++steps == 3) throw Enough();
                                                        }}),
               Enough);
  EXPECT_EQ(steps, 3);
}

TEST(Library, ComplainsInTheProgramsWords) {
  auto message_of = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_TRUE(has(message_of([] { english().generate({.temperature = -1.0}); }), "temperature"));
  EXPECT_TRUE(has(message_of([] { english().generate({.exact = true}); }), "exact"));
  EXPECT_TRUE(has(message_of([] {
                    english().generate({.others = {{"top_q", 3.0}}});
                  }),
                  "did you mean"));
  std::vector<std::string> lines = {"a ___ b", "___ {"};
  EXPECT_TRUE(has(message_of([&] { english().translate(lines); }), "--task"));
  EXPECT_TRUE(has(message_of([&] { english().complete(lines, {.length = 1}); }), "text 1"));
  EXPECT_THROW(english().complete(lines, {.must = {"x"}}), UsageError);
  EXPECT_THROW(english().complete(WritingOptions{}), UsageError);
  EXPECT_THROW(load("english", {.precision = "int9"}), UsageError);
  EXPECT_THROW(load("english", {.device = "abacus"}), UsageError);
}

TEST(Library, ThreadsShareAModel) {
  SentenceList expected = english().generate({.count = 20, .seed = 5});
  std::vector<SentenceList> found(3);
  std::vector<std::thread> threads;
  for (SentenceList& own : found) {
    threads.emplace_back([&] { own = english().generate({.count = 20, .seed = 5}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const SentenceList& own : found) {
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(own.at(i).text, expected[i].text);
  }
}

TEST(Library, ScoresTextByMetrics) {
  std::vector<std::string> hypotheses = {"the cat sat on the mat", "a dog barks loudly today"};
  std::vector<std::string> references = {"the cat sat on a mat", "a dog barks loudly"};
  TempFolder folder;
  put(folder.path() / "hyp", joined(hypotheses));
  put(folder.path() / "ref", joined(references));
  for (const char* metric : {"bleu", "chrf", "chrf++", "ter", "ribes", "f1", "em", "edit"}) {
    MetricScore own = evaluate(metric, hypotheses, {references});
    Outcome outcome = bough({"eval", folder.path() / "ref", "-i", folder.path() / "hyp", "-m",
                             metric, "--width", "12", "--quiet"});
    ASSERT_TRUE(fine(outcome));
    Json told = Json::parse(outcome.out);
    EXPECT_EQ(own.name, told.at("name"));
    EXPECT_NEAR(own.score, told.at("score").get<double>(), 1e-10) << metric;
    EXPECT_EQ(own.signature, told.at("signature"));
    EXPECT_EQ(evaluate_sentences(metric, hypotheses, {references}).size(), 2U);
  }
  EXPECT_NE(evaluate("bleu", hypotheses, {references}, {{"max_ngram_order", 2}}).score,
            evaluate("bleu", hypotheses, {references}).score);
  EXPECT_THROW(evaluate("blue", hypotheses, {references}), UsageError);
  EXPECT_THROW(evaluate("bleu", hypotheses, {{"one"}}), DataError);
  EXPECT_THROW(evaluate("bleu", hypotheses, {}), UsageError);
  EXPECT_THROW(evaluate("bleu", std::vector<std::string>{"\xff", "b"}, {references}), DataError);
}

TEST(Library, TrainsWithACallback) {
  TempFolder folder;
  put(folder.path() / "text", joined(tiny_sentences()));
  NamedOptions options = {{"train", (folder.path() / "text").string()},
                          {"valid", (folder.path() / "text").string()},
                          {"out", (folder.path() / "model").string()},
                          {"layers", int64_t{1}},
                          {"hidden_size", int64_t{16}},
                          {"embedding-size", int64_t{8}},
                          {"epochs", int64_t{3}},
                          {"batch-size", int64_t{8}}};
  std::vector<EpochFigures> epochs;
  train(options, {.on_epoch = [&](const EpochFigures& figures) { epochs.push_back(figures); }},
        {.threads = 1});
  ASSERT_EQ(epochs.size(), 3U);
  EXPECT_EQ(epochs[2].update, 9);
  EXPECT_TRUE(epochs[0].valid_loss.has_value());
  EXPECT_FALSE(epochs[0].samples.empty());
  EXPECT_EQ(load(folder.path() / "model").generate({.count = 2}).size(), 2U);

  // A run that is stopped is saved, and goes on.
  options["out"] = (folder.path() / "stopped").string();
  int updates = 0;
  EXPECT_THROW(train(options, {.should_stop = [&] { return ++updates >= 4; }}, {.threads = 1}),
               Interrupted);
  options["resume"] = true;
  train(options, {}, {.threads = 1});
  EXPECT_EQ(load(folder.path() / "stopped").generate({.count = 5})[4].text,
            load(folder.path() / "model").generate({.count = 5})[4].text);
  EXPECT_THROW(train({{"train", std::string("nowhere")}}), UsageError);
}

}  // namespace
}  // namespace bough
