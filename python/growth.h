// bough.Growth: sentences under way, as something to go through: each word as it comes in, and the
// sentences when they are finished.
//
// A thread writes, and hands on what happens through a short queue: it never runs far ahead of
// whoever looks, and ends when nobody does any more.
#pragma once

#include <pybind11/pybind11.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

#include "bough/bough.h"

namespace bough::python {

class Growth {
 public:
  /// Writes, and tells the listener of each word.
  using Write = std::function<std::vector<SentenceList>(const Listener&)>;

  explicit Growth(Write write);
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  ~Growth() { close(); }

  /// An Insertion, later a Sentence; StopIteration at the end. Called with the GIL.
  pybind11::object next();

  /// Ends the work, if it isn't done, and waits for that. Called with the GIL.
  void close();

 private:
  using Event = std::variant<Insertion, Sentence>;

  void work(const Write& write);
  /// Waits until there is room; throws Interrupted once it is closed.
  void add(Event&& event);
  void check();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  bool done_ = false;    // nothing more will be added
  bool closed_ = false;  // nobody looks any more
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace bough::python
