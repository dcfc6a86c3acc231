// The ends of a COPY: the client, a server file, a program.

#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "copy.h"
#include "hathi/error/report.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::session {

namespace {

constexpr std::size_t kBlock = 65536;

void send_copy_response(Session& session, char type, CopyFormat format, std::size_t columns) {
  protocol::Connection& c = session.connection;
  std::int16_t code = format == CopyFormat::binary ? 1 : 0;
  c.begin(type);
  c.put_byte(static_cast<char>(code));
  c.put_int16(static_cast<std::int16_t>(columns));
  for (std::size_t i = 0; i < columns; ++i) c.put_int16(code);
  c.end();
}

class ClientSource : public CopySource {
 public:
  explicit ClientSource(Session& session) : session_(session) {}

  bool read(std::string& buffer) override {
    if (done_) return false;
    for (;;) {
      check_interrupts();
      protocol::Message message;
      static constexpr shmem::WaitEvent kClientRead{"Client", "ClientRead"};
      shmem::WaitScope wait(kClientRead);
      if (!session_.connection.read_message(message, nullptr)) {
        session_.lost_synchronization = true;
        throw SqlError(sqlstate::connection_failure, "unexpected EOF on client connection with an open transaction");
      }
      switch (message.type) {
        case 'd':
          buffer.append(message.body.data(), message.body.size());
          return true;
        case 'c': done_ = true; return false;
        case 'f': {
          protocol::BodyReader body(message.body);
          std::string_view reason = body.string();
          require_valid_utf8(reason);
          throw SqlError(sqlstate::query_canceled, "COPY from stdin failed: {}", reason);
        }
        case 'H':
        case 'S': continue;   // clients of the extended protocol may send them ahead
        default:
          session_.lost_synchronization = true;
          throw SqlError(sqlstate::protocol_violation, "unexpected message type 0x{:02X} during COPY from stdin",
                         static_cast<unsigned>(static_cast<unsigned char>(message.type)));
      }
    }
  }

  bool skip_rest() override {
    std::string rest;
    while (read(rest)) rest.clear();
    return true;
  }

 private:
  Session& session_;
  bool done_ = false;
};

// What a finished program's status says, in the words of wait(2)'s users. Nothing happens when all went well.
void check_program_result(int status, std::string_view name) {
  if (status == 0) return;
  std::string detail;
  if (WIFSIGNALED(status)) {
    detail = fmt::format("child process was terminated by signal {}: {}", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    constexpr int kNotExecutable = 126, kNotFound = 127;   // what the shell answers
    int code = WEXITSTATUS(status);
    detail = code == kNotExecutable ? "command not executable" : code == kNotFound ? "command not found"
                                                               : fmt::format("child process exited with exit code {}", code);
  }
  throw SqlError(sqlstate::external_routine_exception, "program \"{}\" failed", name).detail(detail);
}

SqlState state_of(int error) {
  switch (error) {
    case ENOENT: return sqlstate::undefined_file;
    case EEXIST: return sqlstate::duplicate_file;
    case ENFILE: case EMFILE: return sqlstate::insufficient_resources;
    case EACCES: case EPERM: case EROFS: return sqlstate::insufficient_privilege;
    case ENOSPC: return sqlstate::disk_full;
    case EISDIR: case ENOTDIR: return sqlstate::wrong_object_type;
    case EIO: return sqlstate::io_error;
    default: return sqlstate::internal_error;
  }
}

[[noreturn]] void throw_stream_error(std::string_view what, bool is_program, int error) {
  throw SqlError(state_of(error), "could not {} COPY {}: {}", what, is_program ? "program" : "file", std::strerror(error));
}

// Programs get the default action of SIGPIPE, which the server itself ignores.
std::FILE* start_program(const std::string& command, const char* mode) {
  void (*old)(int) = std::signal(SIGPIPE, SIG_DFL);
  std::FILE* file = popen(command.c_str(), mode);
  int error = errno;
  std::signal(SIGPIPE, old);
  if (file == nullptr) throw SqlError(state_of(error), "could not execute command \"{}\": {}", command, std::strerror(error));
  return file;
}

class StreamSource : public CopySource {
 public:
  StreamSource(std::FILE* file, std::string name, bool is_program) : file_(file), name_(std::move(name)), is_program_(is_program) {}
  ~StreamSource() override {
    if (file_ != nullptr) is_program_ ? pclose(file_) : std::fclose(file_);
  }
  bool read(std::string& buffer) override {
    check_interrupts();
    std::size_t old = buffer.size();
    buffer.resize(old + kBlock);
    std::size_t n = std::fread(buffer.data() + old, 1, kBlock, file_);
    buffer.resize(old + n);
    if (n == 0 && std::ferror(file_)) throw_stream_error("read from", is_program_, errno);
    if (n == 0) at_end_ = true;
    return n > 0;
  }
  void finish() override {
    if (!is_program_) return;
    int status = pclose(file_);
    file_ = nullptr;
    // An end-of-data mark came first: the program could not write the rest. A shell tells of its command's signal by 128 and the number.
    bool broken_pipe = WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE : WEXITSTATUS(status) == 128 + SIGPIPE;
    bool stopped_early = !at_end_ && broken_pipe;
    if (!stopped_early) check_program_result(status, name_);
  }

 private:
  std::FILE* file_;
  std::string name_;
  bool is_program_;
  bool at_end_ = false;
};

class ClientSink : public CopySink {
 public:
  explicit ClientSink(Session& session) : session_(session) {}
  void write(std::string_view bytes) override {
    session_.connection.begin('d');
    session_.connection.put_bytes(bytes.data(), bytes.size());
    session_.connection.end();
    if (session_.connection.is_lost()) check_interrupts();
  }
  void finish() override {
    session_.connection.begin('c');
    session_.connection.end();
  }

 private:
  Session& session_;
};

class StreamSink : public CopySink {
 public:
  StreamSink(std::FILE* file, std::string name, bool is_program) : file_(file), name_(std::move(name)), is_program_(is_program) {}
  ~StreamSink() override {
    if (file_ != nullptr) is_program_ ? pclose(file_) : std::fclose(file_);
  }
  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return;
    int error = errno;
    if (is_program_ && error == EPIPE) finish();   // the program's own failure says more
    throw_stream_error("write to", is_program_, error);
  }
  void finish() override {
    int status = is_program_ ? pclose(file_) : std::fclose(file_);
    file_ = nullptr;
    if (is_program_) check_program_result(status, name_);
    else if (status != 0) throw SqlError(state_of(errno), "could not close file \"{}\": {}", name_, std::strerror(errno));
  }

 private:
  std::FILE* file_;
  std::string name_;
  bool is_program_;
};

}  // namespace

std::unique_ptr<CopySource> open_client_source(Session& session, CopyFormat format, std::size_t columns) {
  send_copy_response(session, 'G', format, columns);
  session.connection.flush();
  return std::make_unique<ClientSource>(session);
}

std::unique_ptr<CopySource> open_file_source(std::string_view path) {
  std::string name(path);
  std::FILE* file = std::fopen(name.c_str(), "re");
  if (file == nullptr) {
    int error = errno;
    throw SqlError(state_of(error), "could not open file \"{}\" for reading: {}", name, std::strerror(error))
        .hint(error == ENOENT || error == EACCES
                  ? "COPY FROM instructs the PostgreSQL server process to read a file. You may want a client-side facility such as psql's \\copy."
                  : "");
  }
  auto source = std::make_unique<StreamSource>(file, name, false);
  struct stat info {};
  if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a directory", name);
  return source;
}

std::unique_ptr<CopySource> open_program_source(std::string_view command) {
  std::string name(command);
  return std::make_unique<StreamSource>(start_program(name, "re"), name, true);
}

std::unique_ptr<CopySink> open_client_sink(Session& session, CopyFormat format, std::size_t columns) {
  send_copy_response(session, 'H', format, columns);
  return std::make_unique<ClientSink>(session);
}

std::unique_ptr<CopySink> open_file_sink(std::string_view path) {
  std::string name(path);
  if (name[0] != '/') throw SqlError(sqlstate::invalid_name, "relative path not allowed for COPY to file");
  std::FILE* file = std::fopen(name.c_str(), "we");
  if (file == nullptr) {
    int error = errno;
    throw SqlError(state_of(error), "could not open file \"{}\" for writing: {}", name, std::strerror(error))
        .hint(error == ENOENT || error == EACCES
                  ? "COPY TO instructs the PostgreSQL server process to write a file. You may want a client-side facility such as psql's \\copy."
                  : "");
  }
  return std::make_unique<StreamSink>(file, name, false);
}

std::unique_ptr<CopySink> open_program_sink(std::string_view command) {
  std::string name(command);
  return std::make_unique<StreamSink>(start_program(name, "we"), name, true);
}

}  // namespace hathi::session
