#pragma once
// Is this a data directory that this server may use?

#include <string>

namespace hathi::postmaster {

// Absolute, without a trailing slash.
std::string absolute_path(const std::string& path);
// Exists, belongs to us, has safe permissions, carries our version. Throws fatal errors in PostgreSQL's words. Sets data_directory_mode.
void check_data_directory(const std::string& path);
// postmaster.opts: the command line, for pg_ctl restart. Written once the directory is ours: a start that is refused must not replace the
// options of the server that runs.
void remember_command_line(int argc, char** argv);
void write_options_file(const std::string& path);

}  // namespace hathi::postmaster
