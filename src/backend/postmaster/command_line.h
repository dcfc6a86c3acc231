#pragma once
// postgres's options.

#include <string>
#include <utility>
#include <vector>

namespace hathi::postmaster {

struct CommandLine {
  std::string data_directory;  // -D, or PGDATA
  bool has_data_directory = false;
  std::string print_setting;                                  // -C
  std::vector<std::pair<std::string, std::string>> settings;  // in order, names with - as _
  std::vector<std::pair<std::string, std::string>> boot;      // --boot: options that are no settings (see boot.h)
  int debug_level = -1;                                       // -d
};

// Ends the program with PostgreSQL's words when an option is wrong. boot: accept initdb's options too.
CommandLine parse_command_line(int argc, char** argv, bool boot);
// Sets them, weakest to strongest as given; throws SqlError.
void apply_settings(const CommandLine& line);
extern const char* const kHelpText;

}  // namespace hathi::postmaster
