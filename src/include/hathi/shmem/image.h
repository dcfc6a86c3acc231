#pragma once
// The process image that all children are forked from.

namespace hathi::shmem {

// Makes forks cheap: the private memory that has been filled so far (registries, tables of built-in objects) is moved to huge pages
// where the kernel can, so that a fork copies one entry for 2 MiB instead of 512. Once, after initialisation, before the first fork.
void prepare_image_for_forks();

}  // namespace hathi::shmem
