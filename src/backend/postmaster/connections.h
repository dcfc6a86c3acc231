#pragma once
// Connections that have been accepted and wait for a process: for their first bytes, for room among the logins, or to be told why not.

#include <chrono>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace hathi::postmaster {

// What the postmaster decides about a client whose first bytes are there.
struct Decision {
  enum class Kind { start, wait, refuse } kind = Kind::start;
  const char* code = "";  // SQLSTATE and message of a refusal
  const char* message = "";
};

class Connections {
 public:
  // decide() is asked when a client is readable; launch(fd) forks for it and leaves fd open (it is closed here afterwards).
  struct Owner {
    virtual Decision decide() = 0;
    virtual void launch(int socket) = 0;

   protected:
    ~Owner() = default;
  };

  Connections(boost::asio::io_context& io, Owner& owner);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // Starts accepting on a listening socket (not owned).
  void listen(int descriptor);
  // Room may have come: those that waited are decided again.
  void retry();
  bool somebody_waits() const;
  // Drops connections that have been silent for longer than this.
  void drop_silent(std::chrono::seconds limit);
  void stop_listening();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hathi::postmaster
