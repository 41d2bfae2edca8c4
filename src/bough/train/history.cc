#include "bough/train/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"

namespace bough {

void History::resume_at(int64_t bytes) {
  bytes_ = bytes;
  if (fs::exists(path_) && static_cast<int64_t>(fs::file_size(path_)) > bytes) {
    fs::resize_file(path_, static_cast<uintmax_t>(bytes));
  }
}

void History::put(nlohmann::ordered_json& line, const char* prefix, const LossParts& parts) const {
  auto name = [&](const char* part) { return std::string(prefix) + part; };
  line[name("loss")] = parts.loss;
  if (shape_head_) {
    line[name("word_loss")] = parts.word_loss;
    line[name("end_loss")] = parts.end_loss;
  }
  line[name("nats")] = parts.nats;
}

void History::add(const UpdateReport& report) {
  nlohmann::ordered_json line = {{"step", report.update}, {"epoch", report.epoch}};
  put(line, "", report.batch);
  line["beta"] = report.beta;
  line["rollin_beta"] = report.rollin_beta;
  line["learning_rate"] = report.learning_rate;
  line["gradient_norm"] = report.gradient_norm;
  line["sentences_per_second"] = std::round(report.sentences_per_second * 10.0) / 10.0;
  line["seconds"] = report.seconds;
  append(line);
}

void History::add(const EpochReport& report) {
  nlohmann::ordered_json line = {{"step", report.update}, {"epoch", report.epoch}};
  put(line, "train_", report.train);
  line["beta"] = report.beta;
  line["learning_rate"] = report.learning_rate;
  if (report.validated) put(line, "valid_", report.valid);
  if (report.quality) {
    for (const auto& [name, value] : report.quality->numbers) line[name] = value;
  }
  line["best"] = report.best;
  line["seconds"] = report.seconds;
  append(line);
}

void History::append(const nlohmann::ordered_json& line) {
  std::string text = line.dump() + "\n";
  int descriptor = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  bool good = descriptor >= 0 &&
              ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (descriptor >= 0) ::close(descriptor);
  if (!good) throw RunError("cannot write '{}'", path_.string());
  bytes_ += static_cast<int64_t>(text.size());
}

}  // namespace bough
