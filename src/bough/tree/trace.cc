#include "bough/tree/trace.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/text/tokenizer.h"

namespace bough {

namespace {

/// Five decimals are plenty for a log-probability and keep the lines short. A probability of zero
/// has no logarithm that JSON can write.
nlohmann::ordered_json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1e5) / 1e5;
}

/// A node's place in the tree, as far as it has one: the root has neither parent nor side.
void add_parent(nlohmann::ordered_json& node, const Tree::Slot& slot) {
  node["parent"] = nullptr;
  node["side"] = nullptr;
  if (slot.side == Side::kRoot) return;
  node["parent"] = slot.parent;
  node["side"] = slot.side == Side::kLeft ? "left" : "right";
}

/// The sides of a node that aren't open.
constexpr std::array<std::string_view, kAllSides.size()> kClosedNames = {"both", "right", "left",
                                                                         ""};

Sides open_sides(const nlohmann::json& node) {
  std::string closed = node.value("closed", std::string());
  for (Sides open : kAllSides) {
    if (closed == kClosedNames[index_of(open)]) return open;
  }
  throw DataError("\"closed\" is \"left\", \"right\" or \"both\", not \"{}\"", for_message(closed));
}

}  // namespace

std::vector<std::string> Trace::sentence() const {
  std::vector<std::string> words;
  words.reserve(texts.size());
  for (int id : tree.in_order()) words.push_back(texts[static_cast<size_t>(id)]);
  return words;
}

double Trace::logprob() const {
  double sum = 0.0;
  for (const StepScore& score : scores) sum += score.logprob;
  return sum;
}

nlohmann::ordered_json to_json(const Trace& trace) {
  const Tree& tree = trace.tree;
  std::vector<std::string> words = trace.sentence();
  std::vector<int> positions = tree.positions();
  auto nodes = nlohmann::ordered_json::array();
  std::vector<std::string> actions(static_cast<size_t>(tree.steps()),
                                   std::string(kSpecialNames[kEnd]));
  for (int id = 0; id < tree.word_count(); ++id) {
    const Tree::Node& node = tree.node(id);
    const Tree::Slot& slot = tree.slot_of(node);
    const std::string& text = trace.texts[static_cast<size_t>(id)];
    const StepScore& score = trace.scores[static_cast<size_t>(node.step)];
    actions[static_cast<size_t>(node.step)] = text;
    nlohmann::ordered_json entry = {{"id", id},
                                    {"token", text},
                                    {"position", positions[static_cast<size_t>(id)]},
                                    {"depth", slot.depth}};
    add_parent(entry, slot);
    entry["step"] = node.step;
    if (node.open != Sides::kBoth) entry["closed"] = kClosedNames[index_of(node.open)];
    entry["logprob"] = rounded(score.logprob);
    entry["entropy"] = rounded(score.entropy);
    if (!trace.given.empty() && trace.given[static_cast<size_t>(id)]) entry["given"] = true;
    for (const Alternative& other : score.alternatives) {
      entry["alternatives"].push_back({{"token", other.text}, {"logprob", rounded(other.logprob)}});
    }
    nodes.push_back(std::move(entry));
  }
  auto logprobs = nlohmann::ordered_json::array();
  auto entropies = nlohmann::ordered_json::array();
  for (const StepScore& score : trace.scores) {
    logprobs.push_back(rounded(score.logprob));
    entropies.push_back(rounded(score.entropy));
  }
  nlohmann::ordered_json json = {{"version", 1},
                                 {"text", trace.text.empty() ? join_words(words) : trace.text},
                                 {"tokens", words},
                                 {"nodes", nodes},
                                 {"actions", actions},
                                 {"logprob", rounded(trace.logprob())},
                                 {"finished", trace.finished},
                                 {"action_logprobs", logprobs},
                                 {"action_entropies", entropies}};
  if (trace.vocabulary > 0) json["vocabulary"] = trace.vocabulary;
  return json;
}

namespace {

double number_or_nothing(const nlohmann::json& value) {
  return value.is_null() ? -std::numeric_limits<double>::infinity() : value.get<double>();
}

/// What a trace says about its steps, beside the tree.
void read_scores(const nlohmann::json& json, Trace& trace) {
  trace.vocabulary = json.value("vocabulary", int64_t{0});
  trace.text = json.value("text", std::string());
  const auto& nodes = json.at("nodes");
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes.at(i).value("given", false)) continue;
    trace.given.resize(nodes.size());
    trace.given[i] = true;
  }
  if (!json.contains("action_logprobs")) return;
  const auto& logprobs = json.at("action_logprobs");
  const auto& entropies = json.at("action_entropies");
  auto steps = static_cast<size_t>(trace.tree.steps());
  if (logprobs.size() != steps || entropies.size() != steps) {
    throw DataError("\"action_logprobs\" and \"action_entropies\" need a number an action ({})",
                    steps);
  }
  for (size_t step = 0; step < steps; ++step) {
    trace.scores.push_back({.logprob = number_or_nothing(logprobs.at(step)),
                            .entropy = number_or_nothing(entropies.at(step))});
  }
  for (const auto& node : nodes) {
    if (!node.contains("alternatives")) continue;
    for (const auto& other : node.at("alternatives")) {
      trace.scores[node.at("step").get<size_t>()].alternatives.push_back(
          {.logprob = number_or_nothing(other.at("logprob")),
           .text = other.at("token").get<std::string>()});
    }
  }
}

/// What nodes say of their places has to be what the steps and closed sides make of them: where one
/// of these is wrong or missing, words would stand elsewhere.
void check_places(const nlohmann::json& nodes, const Tree& tree) {
  std::vector<int> positions = tree.positions();
  for (int id = 0; id < tree.word_count(); ++id) {
    nlohmann::ordered_json place = {{"position", positions[static_cast<size_t>(id)]}};
    add_parent(place, tree.slot_of(tree.node(id)));
    const auto& node = nodes.at(static_cast<size_t>(id));
    for (const auto& [name, found] : place.items()) {
      if (!node.contains(name) || node.at(name) == nlohmann::json(found)) continue;
      throw DataError("node {}: \"{}\" is {}, but by every node's \"step\" and \"closed\" it is {}",
                      id, name, for_message(node.at(name).dump()), found.dump());
    }
  }
}

}  // namespace

Trace trace_from_json(const nlohmann::json& json) {
  try {
    // The nodes say which of the actions are words: a word may be called like <end>.
    const auto& nodes = json.at("nodes");
    Trace trace;
    trace.finished = json.at("finished").get<bool>();
    for (size_t step = 0; step < json.at("actions").size(); ++step) {
      if (trace.tree.complete()) throw DataError("\"actions\" go on after the tree is complete");
      size_t next = trace.texts.size();
      if (next < nodes.size() && nodes.at(next).at("step").get<size_t>() == step) {
        trace.tree.add_word(static_cast<WordId>(next), open_sides(nodes.at(next)));
        trace.texts.push_back(nodes.at(next).at("token").get<std::string>());
      } else {
        trace.tree.add_end();
      }
    }
    if (trace.texts.size() != nodes.size()) {
      throw DataError("\"nodes\" has {} entries, {} of them have a step among \"actions\"",
                      nodes.size(), trace.texts.size());
    }
    if (trace.finished && !trace.tree.complete()) {
      throw DataError("\"actions\" stop before the tree is complete, but \"finished\" is true");
    }
    check_places(nodes, trace.tree);
    read_scores(json, trace);
    return trace;
  } catch (const nlohmann::json::exception&) {
    throw DataError("not a trace as `bough generate --format jsonl` writes it");
  }
}

}  // namespace bough
