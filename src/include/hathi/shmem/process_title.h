#pragma once
// What ps shows: "postgres: checkpointer", "postgres: alice shop 10.0.0.7(4711) idle".

#include <string_view>

namespace hathi::shmem {

// Keeps main()'s arguments' memory for titles and moves the environment out of the way; once, before any fork.
void init_process_title(int argc, char** argv);
// Without init_process_title: does nothing. Cheap enough for every statement (update_process_title).
void set_process_title(std::string_view activity);

}  // namespace hathi::shmem
