#pragma once
// Helpers for tests with several processes: run a function in a child and look at its exit status.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>

namespace hathi::test {

// Starts a child that runs f and exits with its result (0-255); 99 when it threw.
template <class F>
pid_t fork_child(F f) {
  std::cout.flush();
  pid_t pid = fork();
  if (pid != 0) return pid;
  int status = 99;
  try {
    status = f();
  } catch (const std::exception& error) { std::cerr << "child: " << error.what() << std::endl; }
  std::cout.flush();
  _exit(status);
}

// The child's exit status, or 1000 + the signal that ended it.
inline int wait_child(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

template <class F>
int in_child(F f) {
  return wait_child(fork_child(f));
}

}  // namespace hathi::test
