#include "bough/analysis/tree_player.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/analysis/svg.h"
#include "bough/analysis/tree_picture.h"
#include "bough/text/european_tokenizer.h"

namespace bough {

namespace {

/// What the page shows when a word is pointed at, by node.
nlohmann::json details_of(const Trace& trace) {
  auto nodes = nlohmann::json::array();
  for (int id = 0; id < trace.tree.word_count(); ++id) {
    auto step = static_cast<size_t>(trace.tree.node(id).step);
    nlohmann::json node = {{"word", shown_token(trace.texts[static_cast<size_t>(id)])}};
    if (step < trace.scores.size()) {
      const StepScore& score = trace.scores[step];
      node["p"] = std::exp(score.logprob);
      node["entropy"] = score.entropy;
      for (const Alternative& other : score.alternatives) {
        node["others"].push_back({other.text, std::exp(other.logprob)});
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// JSON inside a page: nothing in it may end the element that it stands in.
std::string for_script(const nlohmann::json& json) {
  std::string safe;
  for (char c : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return safe;
}

}  // namespace

std::string tree_player(const Trace& trace, bool open) {
  std::string words;
  const std::string* before = nullptr;
  for (int id : trace.tree.in_order()) {
    const std::string& token = trace.texts[static_cast<size_t>(id)];
    if (before != nullptr && !joins(*before, token)) words += ' ';
    words += fmt::format("<span data-step=\"{}\" dir=\"auto\">{}</span>", trace.tree.node(id).step,
                         escape_xml(shown_token(token)));
    before = &token;
  }
  return fmt::format(
      "<details class=\"tree\" data-steps=\"{}\"{}>\n<summary>{}</summary>\n"
      "<div class=\"controls\"><button data-do=\"play\">Play</button>"
      "<button data-do=\"back\" aria-label=\"one step back\">◀</button>"
      "<button data-do=\"forward\" aria-label=\"one step on\">▶</button>"
      "<input type=\"range\" min=\"0\" max=\"{}\" value=\"{}\" aria-label=\"steps\">"
      "<output></output></div>\n"
      "<div class=\"stage\"><figure class=\"scroll\">{}</figure>\n"
      "<div class=\"others\" aria-live=\"polite\"></div></div>\n"
      "<script type=\"application/json\">{}</script>\n</details>\n",
      trace.tree.steps(), open ? " open" : "", words, trace.tree.steps(), trace.tree.steps(),
      draw_svg(trace), for_script(details_of(trace)));
}

}  // namespace bough
