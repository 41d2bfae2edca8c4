// Laws of the tree, its drawing, its trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/tree/draw.h"
#include "bough/tree/trace.h"
#include "bough/tree/tree.h"
#include "random_sentences.h"

namespace bough {
namespace {

using Ids = std::vector<WordId>;
using Words = std::vector<std::string>;

Tree tree_of(const GoldTree& gold) {
  return Tree::from_actions(gold.actions, kEnd);
}

// ---- the tree

TEST(Tree, ActionsAndTreeAreOneToOne) {
  for_random_trees([](const GoldTree& gold) {
    Tree tree = tree_of(gold);
    ASSERT_TRUE(tree.complete());
    ASSERT_EQ(tree.actions(kEnd), gold.actions);
    size_t words = gold.sentence.size();
    ASSERT_EQ(static_cast<size_t>(tree.word_count()), words);
    ASSERT_EQ(static_cast<size_t>(tree.steps()), 2 * words + 1);
    ASSERT_EQ(tree.open_slots(), 0);
  });
}

TEST(Tree, ReadInOrderItIsTheSentence) {
  for_random_trees([](const GoldTree& gold) {
    Tree tree = tree_of(gold);
    ASSERT_EQ(tree.sentence(), gold.sentence);
    ASSERT_EQ(tree.positions(), gold.positions);
    std::vector<int> order = tree.in_order();
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(gold.positions[static_cast<size_t>(order[i])], static_cast<int>(i));
    }
  });
}

/// N words in N steps: the same tree without its empty slots.
TEST(Tree, WithSidesItHasTheSlotsThatHaveWords) {
  for_random_trees([](const GoldTree& gold) {
    Tree full = tree_of(gold);
    Tree tree = Tree::from_positions(gold.sentence, gold.positions, Shape::kArity);
    ASSERT_TRUE(tree.complete());
    ASSERT_EQ(tree.sentence(), gold.sentence);
    ASSERT_EQ(tree.positions(), gold.positions);
    ASSERT_EQ(tree.steps(), steps_of(Shape::kArity, full.word_count()));
    for (int id = 0; id < tree.word_count(); ++id) {
      const Tree::Node& node = tree.node(id);
      ASSERT_EQ(tree.action(node.step), (Action{full.node(id).word, node.open}));
      ASSERT_EQ(opens_left(node.open), full.node(id).left_child != Tree::kNone);
      ASSERT_EQ(opens_right(node.open), full.node(id).right_child != Tree::kNone);
      const Tree::Slot& slot = tree.slot_of(node);
      const Tree::Slot& same = full.slot_of(full.node(id));
      ASSERT_TRUE(slot.parent == same.parent && slot.side == same.side);
      ASSERT_TRUE(slot.left == same.left && slot.right == same.right);
      ASSERT_TRUE(slot.depth == same.depth && slot.path == same.path);
    }
  });
}

TEST(Tree, WordsAndPositionsAreTheWholeTree) {
  for_random_trees([](const GoldTree& gold) {
    Tree tree = Tree::from_positions(gold.sentence, gold.positions);
    ASSERT_TRUE(tree.complete());
    ASSERT_EQ(tree.actions(kEnd), gold.actions);
  });
}

TEST(Tree, NodesAndSlotsKnowTheirPlaceInTheTree) {
  for_random_trees([](const GoldTree& gold) {
    Tree tree = tree_of(gold);
    ASSERT_EQ(tree.depth(), gold.depth);
    for (int step = 0; step < tree.steps(); ++step) {
      ASSERT_EQ(tree.slot(step).depth, gold.step_depths[static_cast<size_t>(step)]);
    }
    for (int id = 0; id < tree.word_count(); ++id) {
      const Tree::Node& node = tree.node(id);
      ASSERT_EQ(node.word, gold.actions[static_cast<size_t>(node.step)]);
      const Tree::Slot& slot = tree.slot_of(node);
      if (id == 0) {
        ASSERT_TRUE(slot.side == Side::kRoot && slot.parent == Tree::kNone);
        continue;
      }
      ASSERT_LT(slot.parent, id);
      const Tree::Node& parent = tree.node(slot.parent);
      ASSERT_EQ(slot.side == Side::kLeft ? parent.left_child : parent.right_child, id);
    }
  });
}

/// Checks the law at every step of the tree's growth.
void check_bounds(const GoldTree& gold) {
  Tree tree;
  std::vector<int> placed;  // positions of the words so far, in level order
  for (WordId action : gold.actions) {
    // The front slot lies between two neighbours of the sentence so far, and nothing between them.
    const Tree::Slot& slot = tree.front_slot();
    auto place = [&](int node, int outside) {
      return node == Tree::kNone ? outside : placed[static_cast<size_t>(node)];
    };
    int low = place(slot.left, -1);
    int high = place(slot.right, static_cast<int>(gold.sentence.size()));
    ASSERT_LT(low, high);
    for (int other : placed) ASSERT_TRUE(other <= low || other >= high);
    if (action == kEnd) {
      ASSERT_EQ(low + 1, high);
      tree.add_end();
    } else {
      size_t id = placed.size();
      placed.push_back(gold.positions[id]);
      ASSERT_TRUE(low < placed.back() && placed.back() < high);
      ASSERT_EQ(tree.add_word(action), static_cast<int>(id));
    }
  }
  ASSERT_TRUE(tree.complete());
}

TEST(Tree, ASlotsBoundsAreItsNeighboursInTheSentenceSoFar) {
  for_random_trees(check_bounds);
}

TEST(Tree, EveryBeginningOfTheActionsIsAPartialTree) {
  RandomStream random(5, Purpose::kTest);
  for (int i = 0; i < 300; ++i) {
    GoldTree gold = gold_tree(random_sentence(random, 1 + i % 20, 6), TreeForm::kRandom, random);
    for (size_t steps = 0; steps < gold.actions.size(); ++steps) {
      Ids begun(gold.actions.begin(), gold.actions.begin() + static_cast<int64_t>(steps));
      Tree tree = Tree::from_actions(begun, kEnd);
      auto words = std::count_if(begun.begin(), begun.end(), [](WordId a) { return a != kEnd; });
      ASSERT_FALSE(tree.complete());
      ASSERT_EQ(tree.steps(), static_cast<int>(steps));
      ASSERT_EQ(tree.open_slots(), 2 * words + 1 - static_cast<int>(steps));
      ASSERT_EQ(tree.actions(kEnd), begun);
      // Its words stand in the order they have in the whole sentence.
      std::vector<int> places(gold.positions.begin(), gold.positions.begin() + words);
      std::sort(places.begin(), places.end());
      Ids expected;
      for (int place : places) expected.push_back(gold.sentence[static_cast<size_t>(place)]);
      ASSERT_EQ(tree.sentence(), expected);
    }
  }
}

TEST(Tree, WithoutWords) {
  Tree fresh;
  EXPECT_FALSE(fresh.complete());
  EXPECT_EQ(fresh.open_slots(), 1);
  for (const Tree& tree : {Tree::from_actions(Ids{kEnd}, kEnd), Tree::from_positions({}, {})}) {
    EXPECT_TRUE(tree.complete());
    EXPECT_EQ(tree.depth(), -1);
    EXPECT_EQ(tree.sentence(), Ids());
    EXPECT_EQ(tree.actions(kEnd), Ids{kEnd});
  }
}

TEST(Tree, ActionsAfterTheEndAreRefused) {
  RandomStream random(6, Purpose::kTest);
  for (int words : {0, 1, 2, 9}) {
    GoldTree gold = gold_tree(random_sentence(random, words, 9), TreeForm::kRandom, random);
    for (WordId more : {kEnd, WordId{7}}) {
      Ids actions = gold.actions;
      actions.push_back(more);
      EXPECT_THROW(Tree::from_actions(actions, kEnd), DataError);
    }
  }
}

TEST(Tree, ExactlyTheLevelOrdersAreAccepted) {
  // Of the n! orders of n words, Catalan's number are a tree's level order: one for each tree.
  const std::vector<int> catalan = {1, 1, 2, 5, 14, 42, 132};
  for (int words = 1; words <= 6; ++words) {
    std::vector<int> positions(static_cast<size_t>(words));
    std::iota(positions.begin(), positions.end(), 0);
    Ids sentence(static_cast<size_t>(words), 9);
    int accepted = 0;
    do {
      try {
        ASSERT_EQ(Tree::from_positions(sentence, positions).positions(), positions);
        ++accepted;
      } catch (const DataError&) {
      }
    } while (std::next_permutation(positions.begin(), positions.end()));
    EXPECT_EQ(accepted, catalan[static_cast<size_t>(words)]);
  }
}

TEST(Tree, PositionsThatAreNoneAreRefused) {
  const Ids sentence = {7, 8, 9};
  for (const std::vector<int>& wrong : std::vector<std::vector<int>>{
           {1, 0}, {1, 0, 2, 3}, {}, {1, 1, 2}, {0, 0, 0}, {1, 0, 3}, {-1, 0, 1}, {1, 0, -2}}) {
    EXPECT_THROW(Tree::from_positions(sentence, wrong), DataError);
  }
}

// ---- drawings

std::string drawing(const Words& words, const std::vector<int>& positions) {
  Ids ids(words.size());
  std::iota(ids.begin(), ids.end(), kSpecials);
  Words texts;
  for (int place : positions) texts.push_back(words[static_cast<size_t>(place)]);
  return draw_tree(Tree::from_positions(ids, positions), texts);
}

TEST(Drawing, OfSmallTrees) {
  EXPECT_EQ(drawing({}, {}), "");
  EXPECT_EQ(drawing({"row"}, {0}), "row\n");
  EXPECT_EQ(drawing({"how", "are", "you", "?"}, {1, 0, 3, 2}),
            " .--are-----.\n"
            "how      .--?\n"
            "        you\n");
  EXPECT_EQ(drawing({"a", "b", "c"}, {0, 1, 2}),
            "a-.\n"
            "  b-.\n"
            "    c\n");
  EXPECT_EQ(drawing({"a", "b", "c"}, {2, 1, 0}),
            "  .-c\n"
            ".-b\n"
            "a\n");
  EXPECT_EQ(drawing({"the", "barge", "sinks", "slowly", "today"}, {2, 0, 4, 1, 3}),
            " .--------sinks----------.\n"
            "the---.           .----today\n"
            "    barge       slowly\n");
}

TEST(Drawing, OfWideAndCombiningCharacters) {
  EXPECT_EQ(drawing({"大船", "は", "e\u0301"}, {1, 0, 2}),
            " .---は-.\n"
            "大船    e\u0301\n");
}

/// A drawing's columns from left to right, each with the character that begins in it.
Words read_columns(const std::string& drawn) {
  std::vector<std::pair<int, std::string>> cells;
  int column = 0;
  for (size_t i = 0; i < drawn.size();) {
    size_t bytes = static_cast<unsigned char>(drawn[i]) >= 0xe0 ? 3 : 1;  // ASCII or wide here
    std::string cell = drawn.substr(i, bytes);
    if (std::string(" .-\n").find(cell) == std::string::npos) cells.emplace_back(column, cell);
    column = cell == "\n" ? 0 : column + (bytes == 3 ? 2 : 1);
    i += bytes;
  }
  std::sort(cells.begin(), cells.end());
  for (size_t i = 1; i < cells.size(); ++i) {
    int width = cells[i - 1].second.size() == 3 ? 2 : 1;
    EXPECT_LE(cells[i - 1].first + width, cells[i].first);  // no two in one column
  }
  Words characters;
  for (auto& [at, cell] : cells) characters.push_back(cell);
  return characters;
}

TEST(Drawing, ReadFromLeftToRightIsTheSentence) {
  RandomStream random(7, Purpose::kTest);
  for (int i = 0; i < 500; ++i) {
    int words = i < 5 ? 200 : static_cast<int>(random.below(20));
    GoldTree gold = gold_tree(random_sentence(random, words, 9), TreeForm::kRandom, random);
    Words texts;
    Words expected;
    for (int word = 0; word < words; ++word) {
      texts.emplace_back();
      for (uint64_t left = 1 + random.below(6); left > 0; --left) {
        bool wide = random.below(4) == 0;
        expected.push_back(wide ? "船" : std::string(1, static_cast<char>('a' + random.below(26))));
        texts.back() += expected.back();
      }
    }
    std::string drawn = drawing(texts, gold.positions);
    ASSERT_EQ(read_columns(drawn), expected) << drawn;
    ASSERT_EQ(std::count(drawn.begin(), drawn.end(), '\n'), gold.depth + 1);
    ASSERT_EQ(drawn.find(" \n"), std::string::npos) << drawn;
    // A corner for each word but the root.
    ASSERT_EQ(std::count(drawn.begin(), drawn.end(), '.'), std::max(0, words - 1)) << drawn;
  }
}

// ---- traces

/// "how are you ?" as in the paper's first figure.
Trace paper_trace() {
  Trace trace;
  trace.tree = Tree::from_positions(Ids{5, 6, 7, 8}, std::vector<int>{1, 0, 3, 2});
  trace.texts = {"are", "how", "?", "you"};
  for (int step = 0; step < 9; ++step) {
    trace.scores.push_back({.logprob = -1.25 * (step + 1), .entropy = 0.5 * step});
  }
  return trace;
}

TEST(Trace, IsTheJsonOfTheCommandLine) {
  EXPECT_EQ(to_json(paper_trace()).dump(),
            R"({"version":1,"text":"how are you ?","tokens":["how","are","you","?"],"nodes":[)"
            R"({"id":0,"token":"are","position":1,"depth":0,"parent":null,"side":null,)"
            R"("step":0,"logprob":-1.25,"entropy":0.0},)"
            R"({"id":1,"token":"how","position":0,"depth":1,"parent":0,"side":"left",)"
            R"("step":1,"logprob":-2.5,"entropy":0.5},)"
            R"({"id":2,"token":"?","position":3,"depth":1,"parent":0,"side":"right",)"
            R"("step":2,"logprob":-3.75,"entropy":1.0},)"
            R"({"id":3,"token":"you","position":2,"depth":2,"parent":2,"side":"left",)"
            R"("step":5,"logprob":-7.5,"entropy":2.5}],)"
            R"("actions":["are","how","?","<end>","<end>","you","<end>","<end>","<end>"],)"
            R"("logprob":-56.25,"finished":true,)"
            R"("action_logprobs":[-1.25,-2.5,-3.75,-5.0,-6.25,-7.5,-8.75,-10.0,-11.25],)"
            R"("action_entropies":[0.0,0.5,1.0,1.5,2.0,2.5,3.0,3.5,4.0]})");
}

TEST(Trace, RoundsAndNamesWhatHasNoLogarithm) {
  Trace trace = paper_trace();
  trace.scores[1] = {.logprob = -1.0 / 3.0, .entropy = 2.0 / 3.0};
  trace.scores[2].logprob = -INFINITY;
  trace.finished = false;
  auto value = to_json(trace);
  EXPECT_EQ(value["nodes"][1]["logprob"], -0.33333);
  EXPECT_EQ(value["nodes"][1]["entropy"], 0.66667);
  EXPECT_TRUE(value["nodes"][2]["logprob"].is_null());
  EXPECT_TRUE(value["logprob"].is_null());
  EXPECT_EQ(value["finished"], false);
}

TEST(Trace, ComesBackFromJson) {
  Trace none{
      .tree = Tree::from_actions(Ids{kEnd}, kEnd), .texts = {}, .scores = {{.logprob = -0.5}}};
  Trace begun{.tree = Tree::from_actions(Ids{9, 9}, kEnd), .texts = {"b", "<end>"}, .scores = {}};
  begun.scores = {{.logprob = -1.0}, {.logprob = -2.0}};
  begun.finished = false;
  Trace sides = paper_trace();
  sides.tree = Tree::from_positions(Ids{5, 6, 7, 8}, std::vector<int>{1, 0, 3, 2}, Shape::kArity);
  sides.scores.resize(4);
  EXPECT_EQ(to_json(sides)["nodes"][1]["closed"], "both");
  EXPECT_EQ(to_json(sides)["nodes"][2]["closed"], "right");
  EXPECT_FALSE(to_json(sides)["nodes"][0].contains("closed"));
  for (const Trace& trace : {paper_trace(), none, begun, sides}) {
    Trace back = trace_from_json(nlohmann::json::parse(to_json(trace).dump()));
    EXPECT_EQ(back.texts, trace.texts);
    EXPECT_EQ(back.sentence(), trace.sentence());
    EXPECT_EQ(back.tree.positions(), trace.tree.positions());
    EXPECT_EQ(back.tree.steps(), trace.tree.steps());
    EXPECT_EQ(back.finished, trace.finished);
  }
}

TEST(Trace, IsRefusedWhereItIsNone) {
  nlohmann::json good = to_json(paper_trace());
  auto refuse = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[key] = value;
    EXPECT_THROW(trace_from_json(bad), DataError) << bad;
  };
  refuse("actions", {"a", "<end>", "<end>", "<end>"});
  refuse("actions", 5);
  refuse("nodes", "x");
  refuse("finished", "yes");
  refuse("action_logprobs", {-1.0});
  refuse("action_entropies", "x");
  good["nodes"][1]["closed"] = "top";
  EXPECT_THROW(trace_from_json(good), DataError);
  good["nodes"][1].erase("closed");
  good["nodes"][1]["step"] = 3000000000;
  EXPECT_THROW(trace_from_json(good), DataError);
  EXPECT_THROW(trace_from_json({{"text", "a b"}}), DataError);
  EXPECT_THROW(trace_from_json(7), DataError);
}

/// Sides that are closed, or steps, that are wrong or missing would be other sentences.
TEST(Trace, IsRefusedWhereItsNodesStandElsewhere) {
  Trace sides = paper_trace();
  sides.tree = Tree::from_positions(Ids{5, 6, 7, 8}, std::vector<int>{1, 0, 3, 2}, Shape::kArity);
  sides.scores.resize(4);
  const nlohmann::json good = to_json(sides);
  ASSERT_EQ(trace_from_json(good).sentence(), sides.sentence());
  auto refuse = [&](const char* what, auto&& change) {
    nlohmann::json bad = good;
    change(bad);
    try {
      trace_from_json(bad);
      ADD_FAILURE() << what;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  refuse("\"finished\"", [](auto& bad) {  // what is open isn't filled
    for (auto& node : bad["nodes"]) node.erase("closed");
  });
  refuse("\"closed\"", [](auto& bad) { bad["nodes"][2]["closed"] = "left"; });
  refuse("\"position\"", [](auto& bad) { bad["nodes"][3]["position"] = 1; });
  refuse("\"parent\"", [](auto& bad) { bad["nodes"][3]["parent"] = 1; });
  refuse("\"finished\"", [](auto& bad) {
    for (const char* list : {"nodes", "actions", "action_logprobs", "action_entropies"}) {
      bad[list].erase(3);
    }
  });
  nlohmann::json little = good;  // nothing has to be said twice
  for (auto& node : little["nodes"]) {
    for (const char* name : {"position", "parent", "side", "depth"}) node.erase(name);
  }
  EXPECT_EQ(trace_from_json(little).sentence(), sides.sentence());
}

TEST(Trace, OfNoWordsAndOfATreeThatWasNotFinished) {
  Trace none{.tree = Tree::from_actions(Ids{kEnd}, kEnd), .texts = {}, .scores = {{-0.5, 1.0}}};
  auto value = to_json(none);
  EXPECT_EQ(value["text"], "");
  EXPECT_EQ(value["tokens"], nlohmann::ordered_json::array());
  EXPECT_EQ(value["nodes"], nlohmann::ordered_json::array());
  EXPECT_EQ(value["actions"], Words{"<end>"});
  EXPECT_EQ(value["logprob"], -0.5);

  // A word of the text "<end>" is a word: it has a node.
  Trace begun{.tree = Tree::from_actions(Ids{9, 9}, kEnd), .texts = {"b", "<end>"}, .scores = {}};
  begun.scores = {{-1.0, 1.0}, {-2.0, 1.0}};
  begun.finished = false;
  value = to_json(begun);
  EXPECT_EQ(value["tokens"], (Words{"<end>", "b"}));
  EXPECT_EQ(value["nodes"].size(), 2U);
  EXPECT_EQ(value["actions"], (Words{"b", "<end>"}));
}

}  // namespace
}  // namespace bough
