#include "growth.h"

#include <cmath>

#include "convert.h"
#include "sentence_type.h"
#include "watch.h"

namespace py = pybind11;

namespace bough::python {

namespace {

constexpr size_t kMostWaiting = 256;
constexpr std::chrono::milliseconds kLook(20);  // for Ctrl-C, while nothing happens

py::object to_object(Insertion&& insertion) {
  py::object make = py::module_::import("bough.results").attr("Insertion");
  py::object none = py::none();
  py::object side = none;
  if (insertion.side != Side::kRoot) {
    side = py::str(insertion.side == Side::kLeft ? "left" : "right");
  }
  py::object parent = insertion.parent == Tree::kNone ? none : py::int_(insertion.parent);
  py::object logprob = std::isnan(insertion.logprob) ? none : py::float_(insertion.logprob);
  return make(insertion.sentence, insertion.index, to_str(insertion.token), insertion.node, parent,
              side, insertion.step, logprob, insertion.given);
}

py::object to_object(Sentence&& sentence) {
  return py::cast(std::make_shared<SentenceObject>(std::move(sentence)));
}

}  // namespace

Growth::Growth(Write write) : thread_([this, write = std::move(write)] { work(write); }) {}

void Growth::work(const Write& write) {
  std::exception_ptr error;
  try {
    Listener listener{.on_word = [this](const Insertion& word) { add(Insertion(word)); },
                      .check = [this] { check(); }};
    for (SentenceList& sentences : write(listener)) {
      for (Sentence& sentence : sentences) add(std::move(sentence));
    }
  } catch (...) {
    error = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  error_ = error;
  done_ = true;
  changed_.notify_all();
}

void Growth::add(Event&& event) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || events_.size() < kMostWaiting; });
  if (closed_) throw Interrupted("interrupted");
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void Growth::check() {
  std::lock_guard lock(mutex_);
  if (closed_) throw Interrupted("interrupted");
}

py::object Growth::next() {
  Watch watch;
  std::optional<Event> event;
  watch.run([&] {
    std::unique_lock lock(mutex_);
    while (events_.empty() && !done_ && !closed_) {
      changed_.wait_for(lock, kLook);
      lock.unlock();  // whoever has the GIL may wait for the lock
      watch.check();
      lock.lock();
    }
    if (closed_) return;
    if (!events_.empty()) {
      event = std::move(events_.front());
      events_.pop_front();
      changed_.notify_all();
    } else if (error_) {
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
  });
  if (!event) throw py::stop_iteration();
  return std::visit([](auto& one) { return to_object(std::move(one)); }, *event);
}

void Growth::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    events_.clear();
    changed_.notify_all();
  }
  py::gil_scoped_release released;
  if (thread_.joinable()) thread_.join();
}

}  // namespace bough::python
