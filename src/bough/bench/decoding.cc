#include "bough/bench/decoding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/random.h"
#include "bough/bench/arithmetic.h"
#include "bough/bench/subject.h"

namespace bough {

namespace {

Vocabulary made_up_words(int64_t size) {
  WordCounts counts;
  for (int64_t i = kSpecials; i < size; ++i) counts[fmt::format("w{}", i)] = 1;
  return Vocabulary::build(counts, {});
}

/// The special symbols, frequent words, and others that differ from sentence to sentence: half and
/// half.
WordList made_up_list(int64_t size, int64_t vocabulary, RandomStream random) {
  size = std::min(size, vocabulary);
  std::set<WordId> words;
  for (WordId word = 0; word < std::max<int64_t>(kSpecials, size / 2); ++word) words.insert(word);
  while (static_cast<int64_t>(words.size()) < size) {
    words.insert(static_cast<WordId>(random.below(static_cast<uint64_t>(vocabulary))));
  }
  return std::make_shared<const std::vector<WordId>>(words.begin(), words.end());
}

double median_rate(const nlohmann::ordered_json& report) {
  return report.at("sentences_per_second").at("median").get<double>();
}

}  // namespace

std::string DecodingWay::name() const {
  if (beam > 0) return fmt::format("beam {}", beam);
  if (votes > 0) return fmt::format("vote {}", votes);
  if (listed > 0) return fmt::format("shortlist {}", listed);
  return "greedy";
}

DecodingBench::DecodingBench(const Policy& policy, const DecodingWork& work)
    : policy_(policy),
      work_(work),
      text_{.tokenizer = Tokenizer(TokenizerOptions{}),
            .vocabulary = made_up_words(policy.heads().vocabulary())} {
  work_.length = std::max<int64_t>(1, work_.length);
}

int64_t DecodingBench::count_of(const DecodingWay& way) const {
  int64_t count = way.batch_size == 1 ? (work_.count + 31) / 32 : work_.count;
  return std::max<int64_t>(1, count / way.trees());
}

std::vector<Prompt> DecodingBench::prompts_of(const DecodingWay& way) const {
  std::vector<Prompt> prompts;
  for (int64_t i = 0; i < count_of(way); ++i) {
    Prompt& prompt = prompts.emplace_back();
    if (work_.sources != nullptr) {
      prompt.source = work_.sources->sentence(i % work_.sources->size());
    }
    if (way.listed > 0) {
      RandomStream random(work_.seed, Purpose::kBenchRun, static_cast<uint64_t>(i));
      prompt.words = made_up_list(way.listed, policy_.heads().vocabulary(), random);
    }
  }
  return prompts;
}

double DecodingBench::flops_of(const DecodingWay& way, SourceIds source) const {
  int64_t scored = way.listed > 0 ? way.listed : policy_.heads().vocabulary();
  auto words = static_cast<double>(source.size());
  double shared = sentence_flops(policy_.options(), scored, 0.0, words);
  double whole = sentence_flops(policy_.options(), scored, steps(), words);
  return shared + static_cast<double>(way.trees()) * (whole - shared);
}

BenchRun DecodingBench::run(const DecodingWay& way) const {
  WriterOptions options{.seed = static_cast<int64_t>(work_.seed),
                        .batch_size = way.batch_size,
                        .precision = way.precision};
  options.sampler.decode = Decode::kGreedy;
  options.beam.size = way.beam;
  options.mbr.samples = way.votes;
  options.bounds.length = work_.length;
  std::vector<Prompt> prompts = prompts_of(way);
  BenchRun run;
  double start = now_in_seconds();
  Writer(policy_, text_, options)
      .write({.count = static_cast<int64_t>(prompts.size()), .prompts = prompts},
             [&](std::vector<Written>&&) { run.sentences += 1.0; });
  run.seconds = now_in_seconds() - start;
  run.steps = run.sentences * static_cast<double>(way.trees()) * steps();
  for (const Prompt& prompt : prompts) run.useful_gflop += 1e-9 * flops_of(way, prompt.source);
  return run;
}

nlohmann::ordered_json DecodingBench::measure(std::span<const DecodingWay> ways, int64_t repeats,
                                              const BenchNote& note) const {
  for (const DecodingWay& way : ways) run(way);  // weights are packed when they are first asked for
  std::vector<Meter> meters(ways.size());
  for (int64_t i = 0; i < repeats; ++i) {
    for (size_t w = 0; w < ways.size(); ++w) {
      meters[w].measure([&] { return run(ways[w]); });
    }
    note(fmt::format("decoding in {} ways: run {} of {}", ways.size(), i + 1, repeats));
  }
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (size_t w = 0; w < ways.size(); ++w) {
    const DecodingWay& way = ways[w];
    nlohmann::ordered_json json = {
        {"way", way.name()}, {"precision", name_of(way.precision)}, {"batch_size", way.batch_size}};
    json.update(meters[w].to_json());
    for (const nlohmann::ordered_json& other : report) {
      if (other.at("way") != "greedy" || other.at("precision") != json.at("precision") ||
          other.at("batch_size") != json.at("batch_size")) {
        continue;
      }
      json["greedy_sentences"] = rounded(median_rate(other) / median_rate(json));
    }
    if (way.batch_size == 1 && way.listed == 0) {
      json["memory"] = memory_bound(policy_.options(), policy_.heads().vocabulary(), way.precision,
                                    json.at("steps_per_second").at("median").get<double>());
    }
    report.push_back(std::move(json));
  }
  return report;
}

}  // namespace bough
