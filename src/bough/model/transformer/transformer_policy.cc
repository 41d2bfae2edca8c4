#include "bough/model/transformer/transformer_policy.h"

#include "bough/base/error.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/transformer/transformer_stepper.h"

namespace bough {

namespace {

using torch::Tensor;

/// A path's step counts this share of the one before, at first.
constexpr double kFirstTreeRatio = 0.9;

void check(const PolicyRequest& request) {
  int64_t width = request.options.hidden_size;
  int64_t heads = request.options.transformer.heads;
  if (width % heads != 0) {
    throw UsageError(
        "--hidden-size {} is no multiple of --heads {}: each head takes an equal share", width,
        heads);
  }
}

}  // namespace

TransformerPolicy::TransformerPolicy(const PolicyRequest& request)
    : Policy(request.options, request.start), slot_reader_(options()) {
  check(request);
  const TransformerOptions& transformer = request.options.transformer;
  Initialiser initialise(request.seed, request.device, request.drawn);
  int64_t width = options().hidden_size;
  int64_t embedding_size = options().embedding_size;
  double deviation = request.embedding_scale / input_scale(embedding_size);
  embedding_ = initialise.normal({request.vocabulary, embedding_size}, deviation);
  if (slot_reader_.width() != width) input_ = initialise.linear(slot_reader_.width(), width);
  if (transformer.tree_encoding) {
    double spread = 1.0 / std::sqrt(static_cast<double>(transformer.tree_depth));
    tree_encoding_ = TreeEncoding{initialise.constant({}, kFirstTreeRatio),
                                  initialise.normal({2 * transformer.tree_depth, width}, spread)};
  }
  decoder_.emplace(options(), transformer, true, request.source.has_value(), initialise);
  heads_.emplace(options(), width, Activation::kNone, embedding_, initialise);
  if (request.source) {
    Tensor vectors = request.source->shared
                         ? embedding_
                         : initialise.normal({request.source->size, embedding_size}, deviation);
    std::optional<LinearLayer> input;
    if (embedding_size != width) input = initialise.linear(embedding_size, width);
    source_encoder_.emplace(SourceEncoder{
        vectors, input, TransformerStack(options(), transformer, false, false, initialise)});
  }
  if (options().encoder == EncoderKind::kBag) {
    Tensor vectors =
        initialise.normal({request.vocabulary, embedding_size}, request.embedding_scale);
    bag_encoder_.emplace(vectors, initialise.linear(embedding_size, width));
  }
}

PolicyOutput TransformerPolicy::forward(const PolicyInput& input) const {
  RowLayout layout(input.steps);
  Dropout dropout(input.masks, layout);
  Tensor state = dropout(read(input, layout));  // [rows, width]
  if (source_encoder_) {
    SourceWords words(input.sources);
    Dropout of_source(input.masks, words.layout, Dropout::Part::kSource);
    LaidOutRows encoded{source_encoder_->encode(words, of_source), words.layout};
    state = decoder_->forward({state, layout}, &encoded, dropout);
  } else {
    state = decoder_->forward({state, layout}, nullptr, dropout);
  }
  return heads_->forward(state, dropout, input.right);
}

Tensor TransformerPolicy::read(const PolicyInput& input, const RowLayout& layout) const {
  torch::Device device = embedding_.device();
  Tensor state =
      slot_reader_.read_all(input.inputs, embedding_) * input_scale(options().embedding_size);
  if (input_) state = packed_linear(*input_, state);
  state = state + position_rows(layout, options().hidden_size).to(device);
  if (tree_encoding_) state = state + tree_encoding_->encode(addresses_read(input.inputs, layout));
  if (bag_encoder_) {
    Tensor index = indices_on<int64_t>(device, layout.sentence_of());
    state = state + bag_encoder_->encode(input.sources).index_select(0, index);
  }
  return state;
}

std::vector<Tensor> TransformerPolicy::word_vectors() const {
  std::vector<Tensor> all = {embedding_};
  if (bag_encoder_) all.push_back(bag_encoder_->embedding);
  return all;
}

std::unique_ptr<Stepper> TransformerPolicy::stepper(const StepperOptions& options) const {
  if (!uses_kernels(embedding_)) return Policy::stepper(options);
  return std::make_unique<TransformerStepper>(*this, options);
}

std::unique_ptr<Stepper> TransformerPolicy::drawing_stepper(std::optional<WordId> start) const {
  return stepper({.precision = uses_kernels(embedding_) ? Precision::kInt8 : Precision::kFloat,
                  .start = start});
}

NamedTensors TransformerPolicy::parameters() const {
  NamedTensors all = {{"embedding", embedding_}};
  if (input_) add_linear("input", *input_, all);
  if (tree_encoding_) {
    all.emplace_back("tree.ratio", tree_encoding_->ratio);
    all.emplace_back("tree.steps", tree_encoding_->steps);
  }
  decoder_->add_parameters("decoder", all);
  heads_->add_parameters(all);
  if (source_encoder_) {
    if (!source_encoder_->embedding.is_same(embedding_)) {
      all.emplace_back("encoder.embedding", source_encoder_->embedding);
    }
    if (source_encoder_->input) add_linear("encoder.input", *source_encoder_->input, all);
    source_encoder_->stack.add_parameters("encoder", all);
  }
  if (bag_encoder_) {
    all.emplace_back("bag.embedding", bag_encoder_->embedding);
    add_linear("bag.linear", bag_encoder_->linear, all);
  }
  return all;
}

}  // namespace bough
