// Another number of OpenMP's threads, for a while.
#pragma once

#include <omp.h>

namespace bough {

class ThreadNumber {
 public:
  explicit ThreadNumber(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~ThreadNumber() { omp_set_num_threads(before_); }
  ThreadNumber(const ThreadNumber&) = delete;
  ThreadNumber& operator=(const ThreadNumber&) = delete;

 private:
  int before_;
};

}  // namespace bough
