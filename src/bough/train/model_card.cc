#include "bough/train/model_card.h"

#include <fmt/format.h>

#include "bough/base/version.h"
#include "bough/model/orders.h"

namespace bough {

std::string model_card(const TrainOptions& options, const TrainingState& state,
                       const TrainingData& data, const Model& model) {
  std::string card = "# A model of bough\n\n";
  std::vector<std::string_view> orders;
  for (const Order& order : orders_of(model)) orders.push_back(name_of(order.oracle));
  card += fmt::format("- task: {}, policy: {}, {}: {}\n", name_of(options.task),
                      name_of(options.policy.policy), orders.size() > 1 ? "orders" : "oracle",
                      fmt::join(orders, ", "));
  card += fmt::format("- sizes: {} × {} units, embeddings {}, vocabulary {}\n",
                      options.policy.layers, options.policy.hidden_size,
                      options.policy.embedding_size, model.text.vocabulary.size());
  card += fmt::format("- trained on {} ({}), {} updates, {} epochs, seed {}\n",
                      fs::path(options.train).filename().string(), data.fingerprint(), state.update,
                      state.epoch, options.seed);
  if (state.best.beta >= 0.0) {
    bool by_bleu = traits_of(options.task).has_answer && options.valid_samples > 1;
    if (state.best.goal > 0.0 && !by_bleu) {
      card += fmt::format("- validation perplexity {:.2f} a word (by {} trees of each sentence)\n",
                          1.0 / state.best.goal, options.valid_likelihood);
    }
    if (state.best.goal >= 0.0 && by_bleu) {
      card +=
          fmt::format("- validation BLEU {:.2f} (greedy, nrefs:1|case:mixed|tok:{}|smooth:exp)\n",
                      state.best.goal, name_of(traits_of(options.task).bleu_tokenizer));
    }
    card += fmt::format(
        "- validation loss {:.4f} at β = {:.2f} ({}) on {}\n", state.best.loss, state.best.beta,
        options.policy.end_head ? "KL a word + cross-entropy of <end> a step" : "KL a step",
        fs::path(options.valid).filename().string());
  }
  card += fmt::format("- by bough {}\n", version());
  card += "- licence: that of the training data and of whoever trained it\n";
  return card;
}

}  // namespace bough
