// postgresql.conf: one "name = value" a line, include directives, comments.

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include "hathi/config/server_settings.h"
#include "hathi/error/report.h"
#include "store.h"

namespace hathi::config {

namespace {

constexpr int kDeepestInclude = 10;

std::int64_t loaded_at = 0;

bool read_whole(const std::string& path, std::string& text) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return false;
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::ostringstream all;
  all << file.rdbuf();
  text = all.str();
  return true;
}

std::string directory_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

// One line, token by token.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line) {}
  bool at_end() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
    return at_ >= line_.size() || line_[at_] == '#';
  }
  bool name(std::string& result) {
    if (at_end()) return false;
    std::size_t start = at_;
    while (at_ < line_.size() && (is_word(line_[at_]) || line_[at_] == '.' || (line_[at_] == '$' && at_ > start))) ++at_;
    result = line_.substr(start, at_ - start);
    return !result.empty() && !std::isdigit(static_cast<unsigned char>(result[0])) && result[0] != '.';
  }
  void equals() {
    if (!at_end() && line_[at_] == '=') ++at_;
  }
  // A quoted string or a bare word or number.
  bool value(std::string& result) {
    if (at_end()) return false;
    result.clear();
    if (line_[at_] == '\'') return quoted(result);
    std::size_t start = at_;
    while (at_ < line_.size() && (is_word(line_[at_]) || std::strchr("._+-:/$", line_[at_]) != nullptr)) ++at_;
    result = line_.substr(start, at_ - start);
    return !result.empty();
  }
  std::string token() const {
    std::size_t end = at_;
    while (end < line_.size() && is_word(line_[end])) ++end;
    return std::string(line_.substr(at_, std::max<std::size_t>(end - at_, 1)));
  }

 private:
  bool quoted(std::string& result) {
    std::size_t i = at_ + 1;
    for (; i < line_.size(); ++i) {
      char c = line_[i];
      if (c == '\'') {
        if (i + 1 >= line_.size() || line_[i + 1] != '\'') break;
        ++i;
      } else if (c == '\\' && i + 1 < line_.size()) {
        c = escaped(++i);
      }
      result += c;
    }
    if (i >= line_.size()) return false;
    at_ = i + 1;
    return true;
  }
  char escaped(std::size_t& i) const {
    switch (line_[i]) {
      case 'b': return '\b';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      default: break;
    }
    if (line_[i] < '0' || line_[i] > '7') return line_[i];
    int octal = 0;
    std::size_t first = i;
    while (i < line_.size() && i < first + 3 && line_[i] >= '0' && line_[i] <= '7') octal = octal * 8 + (line_[i++] - '0');
    --i;
    return static_cast<char>(octal);
  }
  std::string_view line_;
  std::size_t at_ = 0;
};

struct FileReader {
  std::vector<FileEntry>& entries;
  std::vector<std::string>& errors;
  bool good = true;

  void problem(std::string text) {
    good = false;
    errors.push_back(std::move(text));
  }

  void file(const std::string& path, int depth, bool must_exist, const char* calling_file, int calling_line) {
    if (path.empty()) return problem(fmt::format("empty configuration file name: \"{}\"", path));
    if (depth > kDeepestInclude)
      return problem(fmt::format("could not open configuration file \"{}\": maximum nesting depth exceeded", path));
    if (calling_file != nullptr && path == calling_file) {
      return problem(fmt::format("configuration file recursion in \"{}\"", calling_file));
    }
    std::string text;
    if (!read_whole(path, text)) {
      int error = errno;
      if (!must_exist && error == ENOENT) {
        log_message("skipping missing configuration file \"{}\"", path);
        return;
      }
      return problem(fmt::format("could not open configuration file \"{}\": {}", path, std::strerror(error)));
    }
    std::size_t start = 0;
    for (int line = 1; start < text.size(); ++line) {
      std::size_t end = std::min(text.find('\n', start), text.size());
      one_line(std::string_view(text).substr(start, end - start), path, line, depth);
      start = end + 1;
    }
    (void)calling_line;
  }

  void one_line(std::string_view line, const std::string& path, int number, int depth) {
    LineReader reader(line);
    if (reader.at_end()) return;
    std::string name, value;
    bool good_line = reader.name(name);
    if (good_line) {
      reader.equals();
      good_line = reader.value(value) && reader.at_end();
    }
    if (!good_line) {
      if (reader.at_end()) return problem(fmt::format("syntax error in file \"{}\" line {}, near end of line", path, number));
      return problem(fmt::format("syntax error in file \"{}\" line {}, near token \"{}\"", path, number, reader.token()));
    }
    std::string key = lower(name);
    auto absolute = [&](const std::string& p) { return !p.empty() && p[0] != '/' ? directory_of(path) + "/" + p : p; };
    if (key == "include" || key == "include_if_exists") return file(absolute(value), depth + 1, key == "include", path.c_str(), number);
    if (key == "include_dir") return directory(absolute(value), depth + 1, path.c_str(), number);
    entries.push_back({name, value, path, number});
  }

  void directory(const std::string& path, int depth, const char* calling_file, int calling_line) {
    DIR* dir = opendir(path.c_str());
    if (dir == nullptr) return problem(fmt::format("could not open configuration directory \"{}\": {}", path, std::strerror(errno)));
    std::vector<std::string> names;
    while (dirent* entry = readdir(dir)) {
      std::string_view name = entry->d_name;
      if (name.size() > 5 && name.ends_with(".conf") && name[0] != '.') names.emplace_back(name);
    }
    closedir(dir);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) file(fmt::format("{}/{}", path, name), depth, true, calling_file, calling_line);
  }
};

void log_line(bool quiet, std::string text, SqlState code = sqlstate::config_file_error) {
  if (quiet) return;
  ErrorReport report;
  report.severity = Severity::log;
  report.code = code;
  report.message = std::move(text);
  hathi::report(std::move(report));
}

void log_report(bool quiet, const ErrorReport& original) {
  if (quiet) return;
  ErrorReport report = original;
  report.severity = Severity::log;
  hathi::report(std::move(report));
}

// Applies one entry with what context allows. False when it was refused.
bool apply_entry(const FileEntry& entry, bool at_start, bool quiet) {
  Setting& setting = find_or_make(entry.name);
  setting.in_file = true;
  const Definition& d = *setting.definition;
  if (d.context == Context::internal) {
    log_line(quiet, fmt::format("parameter \"{}\" cannot be changed", d.name), sqlstate::cant_change_runtime_param);
    return false;
  }
  try {
    if (!at_start && d.context == Context::postmaster) {
      setting.pending_restart = false;
      Value value = parse_value(setting, entry.value);
      if (setting.source > Source::file || value == current_value(setting)) return true;
      setting.pending_restart = true;
      log_line(quiet, fmt::format("parameter \"{}\" cannot be changed without restarting the server", d.name),
               sqlstate::cant_change_runtime_param);
      return false;
    }
    std::string before = value_text(d, current_value(setting), true);
    set(entry.name, entry.value, Source::file, false, true);
    if (setting.source == Source::file) {
      setting.file = entry.file;
      setting.line = entry.line;
    }
    std::string after = value_text(d, current_value(setting), true);
    if (!at_start && before != after) log_line(quiet, fmt::format("parameter \"{}\" changed to \"{}\"", d.name, entry.value), {});
  } catch (const SqlError& error) {
    log_report(quiet, error.report());
    return false;
  }
  return true;
}

// Settings that were in the files and are there no longer go back to their default.
void reset_missing(bool quiet) {
  for (Setting& setting : Store::get().settings) {
    if (setting.in_file || setting.reset_source != Source::file) continue;
    const Definition& d = *setting.definition;
    if (d.context == Context::postmaster) {
      setting.pending_restart = true;
      log_line(quiet, fmt::format("parameter \"{}\" cannot be changed without restarting the server", d.name),
               sqlstate::cant_change_runtime_param);
      continue;
    }
    Value boot = setting.custom ? Value{} : parse_value(setting, d.boot_value);
    setting.reset = boot;
    setting.reset_source = Source::default_value;
    for (StackEntry& entry : setting.stack) {
      if (entry.prior_source != Source::file) continue;
      entry.prior = boot;
      entry.prior_source = Source::default_value;
    }
    if (setting.source != Source::file) continue;
    assign_value(setting, boot, Source::default_value);
    log_line(quiet, fmt::format("parameter \"{}\" removed from configuration file, reset to default", d.name), {});
  }
}

bool report_outcome(const std::string& path, bool at_start, bool quiet, bool applied) {
  if (at_start) throw SqlError(sqlstate::config_file_error, "configuration file \"{}\" contains errors", path).fatal();
  log_line(quiet, fmt::format("configuration file \"{}\" contains errors; {}", path,
                              applied ? "unaffected changes were applied" : "no changes were applied"));
  return false;
}

}  // namespace

bool parse_file(const std::string& path, std::vector<FileEntry>& entries, std::vector<std::string>& errors) {
  FileReader reader{entries, errors};
  reader.file(path, 0, true, nullptr, 0);
  return reader.good;
}

std::int64_t load_time() { return loaded_at; }

bool load_files(const std::string& data_directory, bool at_start, bool quiet) {
  std::string path = values::config_file.empty() ? data_directory + "/postgresql.conf" : values::config_file;
  constexpr std::int64_t kSecondsTo2000 = 946684800;
  loaded_at = (std::time(nullptr) - kSecondsTo2000) * 1000000;
  std::vector<FileEntry> entries;
  std::vector<std::string> errors;
  bool good = parse_file(path, entries, errors);
  std::string automatic = data_directory + "/postgresql.auto.conf";
  if (struct stat info{}; stat(automatic.c_str(), &info) == 0) good = parse_file(automatic, entries, errors) && good;
  for (const std::string& error : errors) log_line(quiet, error);
  if (!good) return report_outcome(path, at_start, quiet, false);
  for (Setting& setting : Store::get().settings) setting.in_file = false;
  // Of several lines for one setting the last counts.
  std::vector<const FileEntry*> last;
  for (const FileEntry& entry : entries) {
    if (!exists(entry.name) && entry.name.find('.') == std::string::npos) {
      log_line(quiet, fmt::format("unrecognized configuration parameter \"{}\" in file \"{}\" line {}", entry.name, entry.file, entry.line),
               sqlstate::undefined_object);
      good = false;
      continue;
    }
    std::erase_if(last, [&](const FileEntry* other) { return lower(other->name) == lower(entry.name); });
    last.push_back(&entry);
  }
  if (!good) return report_outcome(path, at_start, quiet, false);
  if (!at_start) {
    for (const FileEntry* entry : last) {
      if (Setting* setting = find_setting(entry->name)) setting->in_file = true;
    }
    reset_missing(quiet);
  }
  for (const FileEntry* entry : last) {
    try {
      good = apply_entry(*entry, at_start, quiet) && good;
    } catch (const SqlError& error) {
      log_report(quiet, error.report());
      good = false;
    }
  }
  return good || report_outcome(path, at_start, quiet, true);
}

}  // namespace hathi::config
