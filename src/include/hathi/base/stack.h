#pragma once
// A bound on recursion over user input.

namespace hathi {

// Remembers where this process's stack begins; called once at process start (again after fork is harmless).
void set_stack_base();
// Throws 54001 statement_too_complex "stack depth limit exceeded" when more than max_stack_depth kB (default 2048) of stack are in use.
void check_stack_depth();
void set_max_stack_depth(int kilobytes);

}  // namespace hathi
