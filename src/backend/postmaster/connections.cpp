#include "connections.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <vector>

#include "hathi/error/report.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::postmaster {

namespace {

using boost::asio::posix::stream_descriptor;
using Clock = std::chrono::steady_clock;
using Error = boost::system::error_code;

constexpr std::uint32_t kCancelRequest = 1234u << 16 | 5678u, kSslRequest = 1234u << 16 | 5679u, kGssRequest = 1234u << 16 | 5680u;
constexpr std::size_t kLongestStartup = 10000;
constexpr int kAcceptsAtOnce = 64;
constexpr std::chrono::milliseconds kLookAgain{50};

std::uint32_t big_endian(const char* bytes) {
  const auto* b = reinterpret_cast<const unsigned char*>(bytes);
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}

// An ErrorResponse of severity FATAL.
std::string error_message(const char* code, const char* message) {
  std::string body;
  auto field = [&](char type, const char* text) {
    body += type;
    body.append(text, std::strlen(text) + 1);
  };
  field('S', "FATAL");
  field('V', "FATAL");
  field('C', code);
  field('M', message);
  body += '\0';
  auto length = static_cast<std::uint32_t>(body.size() + 4);
  std::string out = "E";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xFF);
  return out + body;
}

// The postmaster serves a cancel itself only while it starts no processes for clients. It reads, and writes nothing.
void serve_cancel(const char* packet) {
  auto pid = static_cast<std::int32_t>(big_endian(packet)), key = static_cast<std::int32_t>(big_endian(packet + 4));
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    if (slot.in_use.load() != 0 && slot.kind == shmem::ProcessKind::backend && slot.pid.load() == pid && slot.cancel_key == key)
      kill(pid, SIGINT);
  }
}

// Is the first packet there? A client that sends half of one gets no process.
enum class FirstPacket { incomplete, complete, closed };
FirstPacket look_at(int fd) {
  char head[4];
  ssize_t n = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return FirstPacket::closed;
  if (n < 4) return FirstPacket::incomplete;
  std::size_t length = big_endian(head);
  int available = 0;
  if (length < 8 || length > kLongestStartup || ioctl(fd, FIONREAD, &available) != 0)
    return FirstPacket::complete;  // a backend knows what to say
  return static_cast<std::size_t>(available) >= length ? FirstPacket::complete : FirstPacket::incomplete;
}

struct Waiting {
  explicit Waiting(boost::asio::io_context& io, int fd) : socket(io, fd) {}
  stream_descriptor socket;
  Clock::time_point since = Clock::now();
  bool queued = false;
  bool refused = false;  // it will get this answer once its start-up packet is complete
  Decision answer;
  std::string input;  // what a refused client has sent so far
  std::unique_ptr<boost::asio::steady_timer> later;
  bool gone = false;  // a handler that was already on its way must leave it alone
  std::list<std::shared_ptr<Waiting>>::iterator place;
};
using Client = std::shared_ptr<Waiting>;

struct Listener {
  Listener(boost::asio::io_context& io, int fd) : socket(io, fd) {}
  stream_descriptor socket;
};

}  // namespace

struct Connections::State : std::enable_shared_from_this<Connections::State> {
  State(boost::asio::io_context& context, Owner& o) : io(context), owner(o), pause(context) {}

  boost::asio::io_context& io;
  Owner& owner;
  boost::asio::steady_timer pause;
  std::list<Listener> listeners;
  std::list<Client> waiting;  // all, oldest first
  std::deque<Client> queue;   // those whose first bytes are there and that wait for room, oldest first
  bool listening = true;

  void watch(Listener& listener) {
    listener.socket.async_wait(stream_descriptor::wait_read, [self = shared_from_this(), &listener](const Error& error) {
      if (error || !self->listening) return;
      self->accept_from(listener);
    });
  }

  void accept_from(Listener& listener) {
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      int fd = accept4(listener.socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) {
        admit(fd);
        continue;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return rest(listener);
      break;
    }
    watch(listener);
  }

  // Out of descriptors or memory: try again in a moment.
  void rest(Listener& listener) {
    log_message("could not accept new connection: {}", std::strerror(errno));
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([self = shared_from_this(), &listener](const Error& error) {
      if (!error && self->listening) self->watch(listener);
    });
  }

  void admit(int fd) {
    int one = 1;  // fails on Unix sockets, which need neither
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    waiting.push_back(std::make_shared<Waiting>(io, fd));
    waiting.back()->place = std::prev(waiting.end());
    await_bytes(waiting.back());
  }

  void await_bytes(const Client& client) {
    client->socket.async_wait(stream_descriptor::wait_read, [self = shared_from_this(), client](const Error& error) {
      if (!error && !client->gone) self->on_readable(client);
    });
  }

  // Readable, but not of use yet: the descriptor would be readable again at once, so time decides when to look again.
  void look_again_later(const Client& client) {
    if (client->later == nullptr) client->later = std::make_unique<boost::asio::steady_timer>(io);
    client->later->expires_after(kLookAgain);
    client->later->async_wait([self = shared_from_this(), client](const Error& error) {
      if (!error && !client->gone) self->on_readable(client);
    });
  }

  void on_readable(const Client& client) {
    if (client->refused) return refuse(client);
    switch (look_at(client->socket.native_handle())) {
      case FirstPacket::closed: return drop(client);
      case FirstPacket::incomplete: return look_again_later(client);
      case FirstPacket::complete: break;
    }
    client->queued = true;
    queue.push_back(client);  // no overtaking
    retry();
  }

  void retry() {
    while (!queue.empty()) {
      Client client = queue.front();
      Decision decision = owner.decide();
      if (decision.kind == Decision::Kind::wait) return;
      queue.pop_front();
      client->queued = false;
      if (decision.kind == Decision::Kind::refuse) {
        client->refused = true;
        client->answer = decision;
        refuse(client);
      } else {
        launch(client);
      }
    }
  }

  void launch(const Client& client) {
    // release() takes the descriptor out of the event queue, which close() would not do while the child holds a copy.
    int fd = client->socket.release();
    forget(client);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    owner.launch(fd);
    ::close(fd);
  }

  // Reads the start-up packet like a backend would, and answers it with the error.
  void refuse(const Client& client) {
    char bytes[4096];
    ssize_t n = recv(client->socket.native_handle(), bytes, sizeof bytes, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return drop(client);
    std::string& input = client->input;
    if (n > 0) input.append(bytes, static_cast<std::size_t>(n));
    while (input.size() >= 8) {
      std::size_t length = big_endian(input.data());
      std::uint32_t code = big_endian(input.data() + 4);
      if (length < 8 || length > kLongestStartup) return drop(client);
      if (input.size() < length) break;
      if (code == kSslRequest || code == kGssRequest) {
        send(client, "N");
        input.erase(0, length);
        continue;
      }
      if (code == kCancelRequest) {
        if (length == 16) serve_cancel(input.data() + 8);
      } else {
        send(client, error_message(client->answer.code, client->answer.message));
        ErrorReport r;
        r.severity = Severity::fatal;
        r.message = client->answer.message;
        report(std::move(r));
      }
      return drop(client);
    }
    await_bytes(client);
  }

  void send(const Client& client, std::string_view text) {
    [[maybe_unused]] ssize_t n = ::send(client->socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void forget(const Client& client) {
    client->gone = true;
    client->later.reset();
    waiting.erase(client->place);
  }
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a reference could point into the queue, or be the last one
  void drop(Client client) {
    std::erase(queue, client);
    Error ignored;
    client->socket.close(ignored);
    forget(client);
  }
};

Connections::Connections(boost::asio::io_context& io, Owner& owner) : state_(std::make_shared<State>(io, owner)) {}
Connections::~Connections() {
  stop_listening();
  while (!state_->waiting.empty()) state_->drop(state_->waiting.front());
}

void Connections::listen(int descriptor) {
  state_->listeners.emplace_back(state_->io, descriptor);
  state_->watch(state_->listeners.back());
}

void Connections::retry() { state_->retry(); }
bool Connections::somebody_waits() const { return !state_->queue.empty(); }

void Connections::drop_silent(std::chrono::seconds limit) {
  Clock::time_point oldest = Clock::now() - limit;
  // Those in the queue have said what they had to say: they wait for us.
  std::vector<Client> silent;
  for (const Client& client : state_->waiting) {
    if (client->since >= oldest) break;
    if (!client->queued) silent.push_back(client);
  }
  for (const Client& client : silent) state_->drop(client);
}

void Connections::stop_listening() {
  state_->listening = false;
  Error ignored;
  for (Listener& listener : state_->listeners) listener.socket.close(ignored);
}

}  // namespace hathi::postmaster
