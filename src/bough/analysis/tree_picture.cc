#include "bough/analysis/tree_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bough/analysis/svg.h"
#include "bough/base/utf8.h"
#include "bough/text/european_tokenizer.h"

namespace bough {

namespace {

constexpr double kLetter = 8.2;  // width of one of the word's columns
constexpr double kPadding = 11;  // beside a word
constexpr double kGap = 6;       // between columns of two words
constexpr double kRow = 62;      // from one depth to the next
constexpr double kBoxHeight = 28;
constexpr double kMargin = 14;
constexpr double kBadge = 15;

constexpr std::string_view kEdge = "stroke=\"var(--edge, #9aa3ad)\" stroke-width=\"1.5\"";

/// How strongly a word is coloured, from 0 to 1; nothing where nobody knows.
double strength(const Trace& trace, int step, NodeColour colour) {
  if (colour == NodeColour::kNone || static_cast<size_t>(step) >= trace.scores.size()) return 0.0;
  const StepScore& score = trace.scores[static_cast<size_t>(step)];
  if (colour == NodeColour::kProbability) return std::exp(std::min(0.0, score.logprob));
  return std::clamp(1.0 - std::exp(-score.entropy / 2.0), 0.0, 1.0);  // 0 nats: 0, 4 nats: 0.86
}

std::string describe(const Trace& trace, int id, int position) {
  int step = trace.tree.node(id).step;
  std::string text =
      fmt::format("{}: written as word {}, stands at place {}",
                  shown_token(trace.texts[static_cast<size_t>(id)]), id + 1, position + 1);
  if (static_cast<size_t>(step) < trace.scores.size()) {
    const StepScore& score = trace.scores[static_cast<size_t>(step)];
    text += fmt::format("; probability {:.3g}, entropy {:.2f} nats", std::exp(score.logprob),
                        score.entropy);
  }
  bool given = !trace.given.empty() && trace.given[static_cast<size_t>(id)];
  return given ? text + "; given" : text;
}

/// Where each word's box is.
struct Box {
  double left = 0.0;
  double width = 0.0;
  double top = 0.0;
  double middle() const { return left + width / 2.0; }
};

std::vector<Box> lay_out(const Trace& trace) {
  std::vector<Box> boxes(trace.texts.size());
  double next = kMargin;
  for (int id : trace.tree.in_order()) {
    auto index = static_cast<size_t>(id);
    Box& box = boxes[index];
    box.width = std::max(2.0 * kBadge + 4.0,
                         kLetter * display_width(shown_token(trace.texts[index])) + 2.0 * kPadding);
    box.left = next;
    box.top = kMargin + kBadge / 2.0 + kRow * trace.tree.slot_of(trace.tree.node(id)).depth;
    next += box.width + kGap;
  }
  return boxes;
}

void draw_word(Svg& svg, const Trace& trace, int id, int position, const Box& box,
               NodeColour colour) {
  int step = trace.tree.node(id).step;
  bool given = !trace.given.empty() && trace.given[static_cast<size_t>(id)];
  double strong = strength(trace, step, colour);
  svg.open(fmt::format("class=\"word\" data-node=\"{}\" data-step=\"{}\"", id, step),
           describe(trace, id, position));
  svg.rectangle({box.left, box.top}, box.width, kBoxHeight, 7,
                "fill=\"var(--paper, #fff)\" stroke=\"none\"");
  svg.rectangle(
      {box.left, box.top}, box.width, kBoxHeight, 7,
      fmt::format("fill=\"var(--tint, #eb6834)\" fill-opacity=\"{}\" stroke=\"var(--border, "
                  "#5b6570)\" stroke-width=\"1.2\"",
                  svg_number(0.75 * strong)));
  if (given) {
    svg.rectangle({box.left + 3, box.top + 3}, box.width - 6, kBoxHeight - 6, 5,
                  "fill=\"none\" stroke=\"var(--border, #5b6570)\" stroke-width=\"1\"");
  }
  svg.text({box.middle(), box.top + 19}, shown_token(trace.texts[static_cast<size_t>(id)]),
           "font-size=\"14\" fill=\"var(--ink, #15181c)\"");
  auto badge = [&](double centre, double round, std::string_view fill, int number) {
    svg.rectangle({centre - kBadge / 2.0, box.top - kBadge / 2.0}, kBadge, kBadge, round, fill);
    svg.text({centre, box.top + 3.5}, std::to_string(number),
             "font-size=\"9.5\" font-weight=\"600\" fill=\"#fff\"");
  };
  badge(box.left + 4, 1.5, "fill=\"var(--order, #1f7a3d)\"", id + 1);
  badge(box.left + box.width - 4, kBadge / 2.0, "fill=\"var(--place, #2457c5)\"", position + 1);
  svg.close();
}

std::string quote_dot(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace

std::string draw_svg(const Trace& trace, NodeColour colour) {
  const Tree& tree = trace.tree;
  std::vector<Box> boxes = lay_out(trace);
  std::vector<int> positions = tree.positions();
  double width = 2.0 * kMargin;
  for (const Box& box : boxes) width = std::max(width, box.left + box.width + kMargin);
  double height = 2.0 * kMargin + kBadge + kBoxHeight + kRow * std::max(0, tree.depth());
  Svg svg(width, height);
  for (int id = 1; id < tree.word_count(); ++id) {
    const Tree::Node& node = tree.node(id);
    const Box& from = boxes[static_cast<size_t>(tree.slot_of(node).parent)];
    const Box& to = boxes[static_cast<size_t>(id)];
    svg.line({from.middle(), from.top + kBoxHeight}, {to.middle(), to.top},
             fmt::format("class=\"edge\" data-step=\"{}\" {}", node.step, kEdge));
  }
  for (int id = 0; id < tree.word_count(); ++id) {
    auto index = static_cast<size_t>(id);
    draw_word(svg, trace, id, positions[index], boxes[index], colour);
  }
  return svg.finish(fmt::format("Tree of: {}", join_european(trace.sentence())));
}

std::string draw_dot(const Trace& trace) {
  const Tree& tree = trace.tree;
  std::vector<int> positions = tree.positions();
  std::string dot = "digraph tree {\n  graph [ordering=out];\n  node [shape=box, style=rounded];\n";
  for (int id = 0; id < tree.word_count(); ++id) {
    bool given = !trace.given.empty() && trace.given[static_cast<size_t>(id)];
    dot += fmt::format("  n{} [label={}, xlabel=\"{} / {}\"{}];\n", id,
                       quote_dot(shown_token(trace.texts[static_cast<size_t>(id)])), id + 1,
                       positions[static_cast<size_t>(id)] + 1, given ? ", peripheries=2" : "");
  }
  for (int id = 0; id < tree.word_count(); ++id) {
    const Tree::Node& node = tree.node(id);
    if (node.left_child == Tree::kNone && node.right_child == Tree::kNone) continue;
    for (auto [child, side] : {std::pair{node.left_child, 'l'}, std::pair{node.right_child, 'r'}}) {
      if (child != Tree::kNone) {
        dot += fmt::format("  n{} -> n{};\n", id, child);
      } else {
        dot += fmt::format(
            "  n{0}{1} [style=invis, label=\"\"];\n  n{0} -> n{0}{1} [style=invis];\n", id, side);
      }
    }
  }
  return dot + "}\n";
}

}  // namespace bough
