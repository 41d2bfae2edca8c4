#include "bough/train/update.h"

#include <chrono>

#include "bough/model/runtime.h"
#include "bough/train/gradient_exchange.h"
#include "bough/train/loss.h"

namespace bough {

namespace {

/// Runs `body` and adds the time it took.
template <typename Body>
auto timed(double& seconds, Body body) {
  struct Stopwatch {
    double& seconds;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Stopwatch() {
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  } stopwatch{seconds};
  return body();
}

/// Adds what these sentences say to the gradients.
void find_gradients(const Policy& policy, const RollInWalker& walker, const Dataset& data,
                    const UpdateRequest& request, GradientExchange* exchange,
                    UpdateResult& result) {
  GradientWatch::Scope watched(exchange);
  PhaseTimes& times = result.times;
  RolledIn rolled = timed(times[Phase::kRollIn], [&] { return walker.walk(data, request.rollin); });
  result.steps = rolled.trajectory.rows();
  PolicyOutput output =
      timed(times[Phase::kForward], [&] { return rolled.output(policy, request.rollin.masks); });
  LossResult loss = timed(times[Phase::kLoss], [&] {
    LossRequest own{.beta = request.loss_beta,
                    .smoothing = request.label_smoothing,
                    .end_weight = request.end_weight};
    std::vector<double> weights;
    if (request.share < 1.0) {
      weights.assign(static_cast<size_t>(rolled.trajectory.sentences()), request.share);
      own.sentence_weights = weights;
    }
    return compute_loss(rolled.trajectory, output, policy.output(), own);
  });
  result.loss = loss.mean;
  result.loss.nats *= request.share;
  timed(times[Phase::kBackward], [&] { backward(output, loss); });
}

UpdateResult do_update(const Policy& policy, const RollInWalker& walker, Adam& adam,
                       const Dataset& data, const UpdateRequest& request,
                       GradientExchange* exchange) {
  UpdateResult result;
  PhaseTimes& times = result.times;
  if (!request.rollin.batch.empty()) {
    find_gradients(policy, walker, data, request, exchange, result);
  }
  timed(times[Phase::kExchange], [&] {
    if (exchange != nullptr) exchange->finish();
  });
  result.gradient_norm = timed(times[Phase::kOptimizer],
                               [&] { return adam.update(request.learning_rate, request.clip); });
  return result;
}

}  // namespace

UpdateResult update_policy(const Policy& policy, const RollInWalker& walker, Adam& adam,
                           const Dataset& data, const UpdateRequest& request,
                           GradientExchange* exchange) {
  return with_plain_errors(
      [&] { return do_update(policy, walker, adam, data, request, exchange); });
}

}  // namespace bough
