#pragma once

#include "options.h"

namespace hathi::initdb {

// The data directory, made or found empty, and the directories in it. Whatever was made is removed by remove_all().
void make_directories(const Options& options);
void write_configuration(const Options& options);
void remove_all(const Options& options);
// Everything below the directory to stable storage.
void sync_directory(const std::string& directory);
// The superuser's password by prompt or from the file; empty when none was asked for.
std::string read_password(const Options& options);
std::string default_time_zone();

}  // namespace hathi::initdb
