#pragma once
// The process image that all children are forked from.

#include <cstdint>

namespace hathi::shmem {

// Before the server's tables are built: from here on the heap begins at a 2 MiB boundary and takes large arrays too, so that it can move
// to huge pages as a whole.
void begin_image();
// Makes forks cheap: the private memory that has been filled so far (registries, tables of built-in objects) is moved to huge pages
// where the kernel can, so that a fork copies one entry for 2 MiB instead of 512; holes in the heap are taken out of use. huge_code:
// the server's code moves to huge pages too (profilers then do not know it by its file). Once, after initialisation, before the first fork.
void prepare_image_for_forks(bool huge_code);
// In a child that will be a backend: the memory that its first allocations take is made present in one call instead of page by page.
void prepare_child_memory();

// When the server started, in microseconds since 2000-01-01; set by the postmaster, inherited by all.
std::int64_t server_start_time();
void set_server_start_time(std::int64_t microseconds);

}  // namespace hathi::shmem
