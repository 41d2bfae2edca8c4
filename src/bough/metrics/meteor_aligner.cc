#include "bough/metrics/meteor_aligner.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>

#include "bough/base/error.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

/// Numbers stems, so that comparing them is comparing numbers. Words are remembered, as stemming
/// takes a good deal longer than looking one up.
class StemNumbers {
 public:
  StemNumbers() : stemmer_(sb_stemmer_new("english", "UTF_8"), sb_stemmer_delete) {
    if (stemmer_ == nullptr) throw RunError("libstemmer has no stemmer for English");
  }

  /// Numbers given before a call of this aren't comparable with those given after it.
  void forget_if_many() {
    constexpr uint32_t kMany = 1 << 18;
    if (words_.size() < kMany) return;
    words_ = {};
    stems_ = {};
    stem_of_.clear();
  }

  uint32_t number_of(const std::string& word) {
    uint32_t number = words_.add(word);
    if (number == stem_of_.size()) stem_of_.push_back(stems_.add(stem(word)));
    return stem_of_[number];
  }

 private:
  std::string stem(const std::string& word) {
    const sb_symbol* result =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    if (result == nullptr) throw RunError("out of memory while stemming");
    return {reinterpret_cast<const char*>(result),
            static_cast<size_t>(sb_stemmer_length(stemmer_.get()))};
  }

  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
  WordNumbers words_;
  WordNumbers stems_;
  std::vector<uint32_t> stem_of_;  // by the word's number
};

StemNumbers& stems_of_this_thread() {
  thread_local StemNumbers stems;  // a stemmer serves one thread at a time
  return stems;
}

/// What modules compare.
struct WordKeys {
  std::vector<uint32_t> word;
  std::vector<uint32_t> stem;
  std::vector<std::span<const uint32_t>> synonym_sets;
};

/// Fills the keys that `modules` need. Equal words get the same number in `numbers`.
WordKeys keys_of(std::span<const std::string> words, std::span<const MeteorModule> modules,
                 const SynonymTable* synonyms, WordNumbers& numbers) {
  WordKeys keys;
  for (const std::string& word : words) keys.word.push_back(numbers.add(word));
  for (MeteorModule module : modules) {
    if (module == MeteorModule::kStem) {
      for (const auto& word : words) keys.stem.push_back(stems_of_this_thread().number_of(word));
    } else if (module == MeteorModule::kSynonym) {
      for (const auto& word : words) keys.synonym_sets.push_back(synonyms->sets_of(word));
    }
  }
  return keys;
}

bool match(MeteorModule module, const WordKeys& hypothesis, size_t i, const WordKeys& reference,
           size_t j) {
  bool same = hypothesis.word[i] == reference.word[j];
  switch (module) {
    case MeteorModule::kExact:
      return same;
    case MeteorModule::kStem:
      return !same && hypothesis.stem[i] == reference.stem[j];
    case MeteorModule::kSynonym:
      return !same && have_common_number(hypothesis.synonym_sets[i], reference.synonym_sets[j]);
  }
  return false;
}

constexpr size_t kReach = MeteorAligner::kReach;

/// A match with a word of the reference. Lines of the same word again and again have a great many.
struct Proposal {
  uint32_t hypothesis : 30;
  uint32_t module : 2;
};

/// What the modules propose for each word of the reference: module by module, and within a module
/// from left to right.
class Proposals {
 public:
  Proposals(std::span<const MeteorModule> modules, const WordKeys& hypothesis,
            const WordKeys& reference)
      : rivals_(hypothesis.word.size()) {
    for (size_t j = 0; j < reference.word.size(); ++j) {
      size_t begin = j - std::min(j, kReach);
      size_t end = std::min(j + kReach + 1, hypothesis.word.size());
      for (uint32_t module = 0; module < modules.size(); ++module) {
        for (size_t i = begin; i < end; ++i) {
          if (!match(modules[module], hypothesis, i, reference, j)) continue;
          all_.push_back({static_cast<uint32_t>(i), module});
          ++rivals_[i];
        }
      }
      ends_.push_back(all_.size());
    }
  }

  size_t hypothesis_size() const { return rivals_.size(); }
  size_t reference_size() const { return ends_.size(); }

  std::span<const Proposal> of(size_t j) const {
    size_t begin = j == 0 ? 0 : ends_[j - 1];
    return std::span(all_).subspan(begin, ends_[j] - begin);
  }

  /// Whether the only proposal for the reference's word j is the only one for the hypothesis's
  /// word.
  bool is_definite(size_t j) const {
    return of(j).size() == 1 && rivals_[of(j)[0].hypothesis] == 1;
  }

 private:
  std::vector<Proposal> all_;
  std::vector<size_t> ends_;      // of each reference word's proposals
  std::vector<uint32_t> rivals_;  // proposals for each word of the hypothesis
};

/// The words of the hypothesis that a path has used. Only those within reach of the reference's
/// word matter, so a word has its bit at its place modulo kRing, and loses it when another comes in
/// reach.
constexpr size_t kRing = 2048;
static_assert(kRing > 2 * kReach && (kRing & (kRing - 1)) == 0);

class BeamSearch {
 public:
  BeamSearch(const Proposals& proposals, std::span<const MeteorModule> modules, size_t beam)
      : proposals_(proposals),
        modules_(modules),
        beam_(beam),
        blocks_((std::min(proposals.hypothesis_size(), kRing) + 63) / 64),
        used_(blocks_) {}

  MeteorAlignment best() {
    paths_ = {Path{}};
    for (size_t j = 0; j < proposals_.reference_size(); ++j) {
      next_.clear();
      for (uint32_t parent = 0; parent < paths_.size(); ++parent) extend(parent, j);
      keep_best();
      forget(j + 1 + kReach);
    }
    for (Path& path : paths_) close_chunk(path);
    return alignment_of(*std::min_element(paths_.begin(), paths_.end(), is_better));
  }

 private:
  static constexpr int32_t kNone = -1;

  struct Path {
    int32_t exact_matches = 0;
    int32_t chunks = 0;  // closed ones
    int64_t distance = 0;
    int32_t chunk_end = kNone;  // in the hypothesis, of the open chunk
    int32_t trail = kNone;      // the last match in `trail_`
    uint32_t parent = 0;
    bool takes = false;  // a match on the last step, which is
    MeteorMatch taken{};
  };

  /// A match and the one before it, in `trail_`.
  struct Step {
    MeteorMatch match;
    int32_t previous;
  };

  static bool is_better(const Path& one, const Path& other) {
    return std::tuple(-one.exact_matches, one.chunks, one.distance) <
           std::tuple(-other.exact_matches, other.chunks, other.distance);
  }

  static void close_chunk(Path& path) {
    if (path.chunk_end != kNone) ++path.chunks;
    path.chunk_end = kNone;
  }

  static int64_t distance_of(const MeteorMatch& match) {
    return std::abs(static_cast<int64_t>(match.reference) - static_cast<int64_t>(match.hypothesis));
  }

  bool is_used(uint32_t parent, size_t i) const {
    i %= kRing;
    return (used_[parent * blocks_ + i / 64] >> (i % 64) & 1) != 0;
  }

  /// Adds to `next_` what can follow a path at the reference's word j. Matches that go on with the
  /// chunk apart, those of one kind get no nearer: of each kind the first `beam_` are enough.
  void extend(uint32_t parent, size_t j) {
    Path path = paths_[parent];
    path.parent = parent;
    path.takes = false;
    weighed_ += static_cast<int64_t>(proposals_.of(j).size());
    if (proposals_.is_definite(j)) {
      MeteorMatch only = match_of(proposals_.of(j)[0], j);
      path.distance += distance_of(only);
      next_.push_back(with_match(path, only));
      return;
    }
    std::array<size_t, 2> found{};  // loose ones and exact ones
    for (const Proposal& proposal : proposals_.of(j)) {
      if (is_used(parent, proposal.hypothesis)) continue;
      MeteorMatch match = match_of(proposal, j);
      bool goes_on = path.chunk_end == static_cast<int32_t>(match.hypothesis);
      if (goes_on || found[is_exact(match) ? 1 : 0]++ < beam_) {
        next_.push_back(with_match(path, match));
      }
      path.distance += distance_of(match);
    }
    close_chunk(path);
    next_.push_back(path);
  }

  static MeteorMatch match_of(const Proposal& proposal, size_t j) {
    return {proposal.hypothesis, static_cast<uint32_t>(j), proposal.module};
  }

  bool is_exact(const MeteorMatch& match) const {
    return modules_[match.module] == MeteorModule::kExact;
  }

  Path with_match(Path path, const MeteorMatch& match) const {
    if (is_exact(match)) ++path.exact_matches;
    auto place = static_cast<int32_t>(match.hypothesis);
    if (path.chunk_end != place) close_chunk(path);
    path.chunk_end = place + 1;
    path.takes = true;
    path.taken = match;
    return path;
  }

  /// Makes the best of `next_` the new paths; of equally good ones, those found first.
  void keep_best() {
    if (!std::is_sorted(next_.begin(), next_.end(), is_better)) {
      std::stable_sort(next_.begin(), next_.end(), is_better);
    }
    next_.resize(std::min(next_.size(), beam_));
    next_used_.clear();
    for (Path& path : next_) {
      auto used = used_.begin() + static_cast<std::ptrdiff_t>(path.parent * blocks_);
      next_used_.insert(next_used_.end(), used, used + static_cast<std::ptrdiff_t>(blocks_));
      if (!path.takes) continue;
      size_t i = path.taken.hypothesis % kRing;
      next_used_[next_used_.size() - blocks_ + i / 64] |= uint64_t{1} << (i % 64);
      trail_.push_back({path.taken, path.trail});
      path.trail = static_cast<int32_t>(trail_.size()) - 1;
    }
    std::swap(paths_, next_);
    std::swap(used_, next_used_);
  }

  /// Makes room for the hypothesis's word i, which no path can have used.
  void forget(size_t i) {
    if (i < kRing || i >= proposals_.hypothesis_size()) return;
    i %= kRing;
    for (size_t path = 0; path < paths_.size(); ++path) {
      used_[path * blocks_ + i / 64] &= ~(uint64_t{1} << (i % 64));
    }
  }

  MeteorAlignment alignment_of(const Path& path) const {
    MeteorAlignment alignment;
    alignment.chunks = path.chunks;
    alignment.weighed = weighed_;
    for (int32_t at = path.trail; at != kNone; at = trail_[static_cast<size_t>(at)].previous) {
      alignment.matches.push_back(trail_[static_cast<size_t>(at)].match);
    }
    std::reverse(alignment.matches.begin(), alignment.matches.end());
    return alignment;
  }

  const Proposals& proposals_;
  std::span<const MeteorModule> modules_;
  size_t beam_;
  size_t blocks_;  // of 64 bits, for the words of the hypothesis within reach
  std::vector<Path> paths_;
  std::vector<Path> next_;
  std::vector<uint64_t> used_;  // words of the hypothesis that a path has used, path by path
  std::vector<uint64_t> next_used_;
  std::vector<Step> trail_;
  int64_t weighed_ = 0;
};

}  // namespace

MeteorAligner::MeteorAligner(std::vector<MeteorModule> modules, size_t beam,
                             std::shared_ptr<const SynonymTable> synonyms)
    : modules_(std::move(modules)), beam_(beam), synonyms_(std::move(synonyms)) {}

MeteorAlignment MeteorAligner::align(std::span<const std::string> hypothesis,
                                     std::span<const std::string> reference) const {
  // Equal sentences need no other module, and the search might miss the full match with it.
  bool equal = std::ranges::equal(hypothesis, reference);
  auto modules = std::span(modules_).first(equal ? 1 : modules_.size());
  stems_of_this_thread().forget_if_many();
  WordNumbers numbers;
  WordKeys hypothesis_keys = keys_of(hypothesis, modules, synonyms_.get(), numbers);
  WordKeys reference_keys = keys_of(reference, modules, synonyms_.get(), numbers);
  Proposals proposals(modules, hypothesis_keys, reference_keys);
  return BeamSearch(proposals, modules, beam_).best();
}

}  // namespace bough
