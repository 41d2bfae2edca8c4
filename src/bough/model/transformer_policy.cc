#include "bough/model/transformer_policy.h"

#include "bough/base/error.h"
#include "bough/model/functions.h"
#include "bough/model/packed_linear.h"
#include "bough/model/plain_transformer_stepper.h"
#include "bough/model/transformer_stepper.h"

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
    : options_(request.options),
      start_(request.start),
      slot_reader_(options_.slot_context, options_.embedding_size) {
  check(request);
  const TransformerOptions& transformer = request.options.transformer;
  Initialiser initialise(request.seed, request.device);
  int64_t width = options_.hidden_size;
  int64_t embedding_size = options_.embedding_size;
  double deviation = request.embedding_scale / input_scale(embedding_size);
  embedding_ = initialise.normal({request.vocabulary, embedding_size}, deviation);
  if (slot_reader_.width() != width) input_ = initialise.linear(slot_reader_.width(), width);
  if (transformer.tree_encoding) {
    double spread = 1.0 / std::sqrt(static_cast<double>(transformer.tree_depth));
    tree_encoding_ = TreeEncoding{initialise.constant({}, kFirstTreeRatio),
                                  initialise.normal({2 * transformer.tree_depth, width}, spread)};
  }
  decoder_.emplace(options_, transformer, true, request.source.has_value(), initialise);
  if (embedding_size != width) projection_ = initialise.linear(width, embedding_size);
  output_weight_ = options_.output == OutputKind::kTied
                       ? embedding_
                       : initialise.linear(embedding_size, request.vocabulary).weight;
  packed_output_.emplace(output_weight_);
  output_bias_ = initialise.zeros({request.vocabulary});
  if (options_.end_head) {
    end_inner_ = initialise.linear(width, embedding_size);
    end_outer_ = initialise.linear(embedding_size, 1);
  }
  if (request.source) {
    Tensor vectors = request.source->shared
                         ? embedding_
                         : initialise.normal({request.source->size, embedding_size}, deviation);
    std::optional<LinearLayer> input;
    if (embedding_size != width) input = initialise.linear(embedding_size, width);
    source_encoder_.emplace(SourceEncoder{
        vectors, input, TransformerStack(options_, transformer, false, false, initialise)});
  }
  if (options_.encoder == EncoderKind::kBag) {
    Tensor vectors =
        initialise.normal({request.vocabulary, embedding_size}, request.embedding_scale);
    bag_encoder_.emplace(vectors, initialise.linear(embedding_size, width));
  }
}

PolicyOutput TransformerPolicy::forward(const Trajectory& trajectory,
                                        const DropoutMasks& masks) const {
  return forward(trajectory.input, RowLayout(trajectory), trajectory.given, masks);
}

PolicyOutput TransformerPolicy::forward(std::span<const StepInput> inputs, const RowLayout& layout,
                                        std::span<const Source> sources,
                                        const DropoutMasks& masks) const {
  Dropout dropout(masks);
  Tensor state = dropout(read(inputs, layout, sources));  // [rows, width]
  if (source_encoder_) {
    SourceWords words(sources);
    LaidOutRows encoded{source_encoder_->encode(words, dropout), words.layout};
    state = decoder_->forward({state, layout}, &encoded, dropout);
  } else {
    state = decoder_->forward({state, layout}, nullptr, dropout);
  }
  PolicyOutput result;
  result.features = projection_ ? packed_linear(*projection_, state) : state;
  if (options_.end_head) {
    result.end_logits =
        packed_linear(*end_outer_, dropout(packed_linear(*end_inner_, state, Activation::kRelu)))
            .squeeze(1);
  }
  return result;
}

Tensor TransformerPolicy::read(std::span<const StepInput> inputs, const RowLayout& layout,
                               std::span<const Source> sources) const {
  torch::Device device = embedding_.device();
  Tensor state = slot_reader_.read_all(inputs, embedding_) * input_scale(options_.embedding_size);
  if (input_) state = packed_linear(*input_, state);
  state = state + position_rows(layout, options_.hidden_size).to(device);
  if (tree_encoding_) state = state + tree_encoding_->encode(addresses_read(inputs, layout));
  if (bag_encoder_) {
    Tensor index = torch::tensor(layout.sentence_of(), torch::kInt64).to(device);
    state = state + bag_encoder_->encode(sources).index_select(0, index);
  }
  return state;
}

std::vector<Tensor> TransformerPolicy::word_vectors() const {
  std::vector<Tensor> all = {embedding_};
  if (bag_encoder_) all.push_back(bag_encoder_->embedding);
  return all;
}

std::unique_ptr<Stepper> TransformerPolicy::stepper() const {
  if (!uses_kernels(embedding_)) return std::make_unique<PlainTransformerStepper>(*this);
  return std::make_unique<TransformerStepper>(*this);
}

void TransformerPolicy::set_precision(Precision precision) {
  if (precision == Precision::kInt8 && !uses_kernels(embedding_)) {
    throw UsageError("--precision int8 needs bough's own kernels, which run on the CPU only");
  }
  decoder_->set_precision(precision);
  if (input_) input_->packed.set_precision(precision);
  if (projection_) projection_->packed.set_precision(precision);
  packed_output_->set_precision(precision);
  if (source_encoder_) {
    source_encoder_->stack.set_precision(precision);
    if (source_encoder_->input) source_encoder_->input->packed.set_precision(precision);
  }
  if (bag_encoder_) bag_encoder_->linear.packed.set_precision(precision);
  // The <end> head is small, and what it decides weighs most: it stays as it is.
}

NamedTensors TransformerPolicy::parameters() const {
  NamedTensors all = {{"embedding", embedding_}};
  if (input_) add_linear("input", *input_, all);
  if (tree_encoding_) {
    all.emplace_back("tree.ratio", tree_encoding_->ratio);
    all.emplace_back("tree.steps", tree_encoding_->steps);
  }
  decoder_->add_parameters("decoder", all);
  if (projection_) add_linear("projection", *projection_, all);
  if (options_.output == OutputKind::kUntied) all.emplace_back("output.weight", output_weight_);
  all.emplace_back("output.bias", output_bias_);
  if (options_.end_head) {
    add_linear("end_head.inner", *end_inner_, all);
    add_linear("end_head.outer", *end_outer_, all);
  }
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
