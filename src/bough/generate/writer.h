// Writing sentences with a model, in whatever way the options say:
//
//     sample, greedy   each sentence by itself (decoder.h); of many samples the likeliest
//     beam             the likeliest of a search (beam.h)
//     mbr              of several samples the one most like the others (mbr.h)
//
// The best of each can then be ranked by how likely their sentences are (reranker.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bough/generate/candidates.h"
#include "bough/generate/writer_options.h"
#include "bough/model/model.h"
#include "bough/tree/trace.h"

namespace bough {

class Reranker;

struct WriteRequest {
  int64_t count = 1;                     // prompts
  std::span<const Prompt> prompts = {};  // as many, or none where nothing is asked
  int64_t each = 1;                      // sentences for a prompt
  /// What they begin with, the symbol of an order (orders.h); none: the policy's own. With several
  /// the best of each order are one list: `best` is needed then.
  std::vector<WordId> starts = {};
  /// Where it isn't 0, the best so many distinct ones for a prompt, best first: of a search, of a
  /// vote, or of `each` samples, ten times `best` at least.
  int64_t best = 0;
  const Reranker* reranker = nullptr;  // ranks them anew; null: they stay as they were found
  bool with_scores = false;
  int64_t alternatives = 0;                  // likeliest actions of each step, with the scores
  std::function<void()> between_steps = {};  // called after each; ends it all by throwing
  JobRunner* runner = nullptr;               // where jobs run; null: in a batch of its own
  /// Told of sentences that are written each by itself after every word: which it is, counted over
  /// all prompts, and how far it is (without its text and alternatives). Those of a search, a vote
  /// or a list of the best are chosen when they are all there, and nobody is told.
  std::function<void(int64_t sentence, const Trace& so_far)> on_word = {};
};

class Writer {
 public:
  using TakeWritten = std::function<void(std::vector<Written>&&)>;

  /// All must outlive the writer. UsageError or UnmetError for options that make no sense.
  Writer(const Policy& policy, const Language& text, const WriterOptions& options);

  /// Calls `take` with the sentences for each prompt, in the prompts' order.
  void write(const WriteRequest& request, const TakeWritten& take) const;

 private:
  using TakeCandidates = std::function<void(std::vector<Candidate>&&)>;

  void find(const WriteRequest& request, const TakeWritten& take) const;
  void find_in_order(const WriteRequest& request, std::optional<WordId> start,
                     const TakeWritten& take) const;
  void find_and_rerank(const WriteRequest& request, const TakeWritten& take) const;
  void sample(const WriteRequest& request, std::optional<WordId> start,
              const TakeCandidates& take) const;
  /// By vote, in groups of `mbr.samples`.
  std::vector<Candidate> elect(std::vector<Candidate> drawn, int64_t best) const;
  /// Calls `work` with the request's runner, or with a batch of its own, whose sentences begin with
  /// `start`.
  void run(const WriteRequest& request, std::optional<WordId> start,
           const std::function<void(JobRunner&)>& work) const;
  DecodeRequest decode_request(const WriteRequest& request) const;
  Trace trace_of(DecodedTree&& decoded) const;

  const Policy& policy_;
  const Language& text_;
  const WriterOptions& options_;
  std::string method_;
};

}  // namespace bough
