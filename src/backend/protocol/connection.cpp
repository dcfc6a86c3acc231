#include "hathi/protocol/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "hathi/error/sql_error.h"
#include "hathi/protocol/farewell.h"
#include "hathi/shmem/interrupts.h"

namespace hathi::protocol {

namespace {

constexpr std::size_t kSendThreshold = 8192;
constexpr std::size_t kSmallMessageLimit = 10000;
constexpr std::size_t kLargeMessageLimit = 0x3FFFFFFF;
constexpr std::size_t kInputBlock = 8192;
constexpr std::size_t kKeptBuffer = 64 * 1024;   // larger buffers are given back when they have been used

std::uint32_t load32(const char* p) {
  const auto* u = reinterpret_cast<const unsigned char*>(p);
  return (std::uint32_t{u[0]} << 24) | (std::uint32_t{u[1]} << 16) | (std::uint32_t{u[2]} << 8) | u[3];
}

void store32(char* p, std::uint32_t v) {
  p[0] = static_cast<char>(v >> 24);
  p[1] = static_cast<char>(v >> 16);
  p[2] = static_cast<char>(v >> 8);
  p[3] = static_cast<char>(v);
}

void set_receive_timeout(int socket, int seconds) {
  timeval timeout{seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

// Kinds of message that may carry a client's data.
bool may_be_large(char type) { return type == 'Q' || type == 'P' || type == 'B' || type == 'F' || type == 'd' || type == 'p'; }

}  // namespace

std::uint8_t BodyReader::byte() {
  if (remaining() == 0) throw SqlError(sqlstate::protocol_violation, "no data left in message");
  return static_cast<std::uint8_t>(bytes(1)[0]);
}

std::int16_t BodyReader::int16() {
  auto b = bytes(2);
  return static_cast<std::int16_t>((static_cast<unsigned char>(b[0]) << 8) | static_cast<unsigned char>(b[1]));
}

std::int32_t BodyReader::int32() { return static_cast<std::int32_t>(load32(bytes(4).data())); }

std::string_view BodyReader::string() {
  auto rest = body_.subspan(position_);
  const void* nul = rest.empty() ? nullptr : std::memchr(rest.data(), '\0', rest.size());
  if (nul == nullptr) throw SqlError(sqlstate::protocol_violation, "invalid string in message");
  auto length = static_cast<std::size_t>(static_cast<const char*>(nul) - rest.data());
  position_ += length + 1;
  return {rest.data(), length};
}

std::span<const char> BodyReader::bytes(std::size_t n) {
  if (n > remaining()) throw SqlError(sqlstate::protocol_violation, "insufficient data left in message");
  auto part = body_.subspan(position_, n);
  position_ += n;
  return part;
}

void BodyReader::expect_end() const {
  if (remaining() != 0) throw SqlError(sqlstate::protocol_violation, "invalid message format");
}

Connection::Connection(int socket) : socket_(socket) { grow(kSendThreshold * 2); }

Connection::~Connection() {
  std::free(buffer_);
  if (socket_ >= 0) ::close(socket_);
}

// Makes `needed` bytes available from read_position_ on. Memory grows with what arrives, not with what was announced.
bool Connection::fill(std::size_t needed, void (*serve)()) {
  while (read_end_ - read_position_ < needed) {
    if (read_position_ > 0) {
      std::memmove(input_.data(), input_.data() + read_position_, read_end_ - read_position_);
      read_end_ -= read_position_;
      read_position_ = 0;
    }
    if (input_.size() - read_end_ < kInputBlock / 2) input_.resize(std::max(kInputBlock, std::min(input_.size() * 2, read_end_ + needed + kInputBlock)));
    ssize_t n = -1;
    int saved = EINTR;
    {
      BlockingCall blocking;
      if (serve == nullptr || (!interrupt_flags.any && !interrupt_flags.wake_up)) {
        n = ::recv(socket_, input_.data() + read_end_, input_.size() - read_end_, 0);
        saved = errno;
      }
    }
    if (n > 0) {
      read_end_ += static_cast<std::size_t>(n);
    } else if (n < 0 && (saved == EAGAIN || saved == EWOULDBLOCK) && wakes_when_quiet_) {
      set_receive_timeout(socket_, 0);
      wakes_when_quiet_ = false;
      quiet_ = true;
      if (serve != nullptr) serve();
    } else if (n < 0 && saved == EINTR) {
      if (serve != nullptr) serve();
      else if (interrupt_flags.terminate) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool Connection::read_startup_packet(std::string& body) {
  constexpr std::size_t kLongestStartup = 10000;   // without its length
  if (!fill(4, serve_interrupts)) return false;
  std::size_t length = load32(input_.data() + read_position_);
  if (length < 8 || length - 4 > kLongestStartup) return false;
  if (!fill(length, serve_interrupts)) return false;
  body.assign(input_.data() + read_position_ + 4, length - 4);
  read_position_ += length;
  return true;
}

bool Connection::read_message(Message& out, void (*serve)()) {
  if (read_position_ == read_end_) {
    read_position_ = read_end_ = 0;
    if (input_.size() > kKeptBuffer) std::vector<char>(kInputBlock).swap(input_);
  }
  if (!fill(5, serve)) return false;
  char type = input_[read_position_];
  std::size_t length = load32(input_.data() + read_position_ + 1);
  if (length < 4 || length > (may_be_large(type) ? kLargeMessageLimit : kSmallMessageLimit)) return false;
  if (!fill(length + 1, nullptr)) return false;
  out.type = type;
  out.body = {input_.data() + read_position_ + 5, length - 4};
  read_position_ += length + 1;
  return true;
}

void Connection::wake_when_quiet() {
  if (wakes_when_quiet_) return;
  constexpr int kQuietSeconds = 1;
  set_receive_timeout(socket_, kQuietSeconds);
  wakes_when_quiet_ = true;
}

bool Connection::client_closed() const {
  char byte;
  ssize_t n = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool Connection::input_ready() const {
  if (has_buffered_input()) return true;
  pollfd p{socket_, POLLIN, 0};
  return ::poll(&p, 1, 0) > 0;
}

void Connection::grow(std::size_t n) {
  if (used_ > kSendThreshold && used_ != message_start_ && message_start_ > 0 && in_message_) send_pending(message_start_);
  if (capacity_ - used_ >= n) return;
  std::size_t size = std::max(capacity_ * 2, used_ + n);
  if (size > 2 * kLargeMessageLimit) throw SqlError(sqlstate::program_limit_exceeded, "out of memory").detail("The message to the client is too long.");
  auto* bigger = static_cast<char*>(std::realloc(buffer_, size));
  if (bigger == nullptr) throw SqlError(sqlstate::out_of_memory, "out of memory").detail(fmt::format("Failed on request of size {}.", size));
  buffer_ = bigger;
  capacity_ = size;
}

void Connection::begin(char type) {
  message_start_ = used_;
  in_message_ = true;
  char* p = reserve(5);
  p[0] = type;
  used_ += 5;
}

void Connection::put_int16(std::int16_t v) {
  char* p = reserve(2);
  p[0] = static_cast<char>(static_cast<std::uint16_t>(v) >> 8);
  p[1] = static_cast<char>(v);
  used_ += 2;
}

void Connection::put_int32(std::int32_t v) {
  store32(reserve(4), static_cast<std::uint32_t>(v));
  used_ += 4;
}

void Connection::put_bytes(const void* bytes, std::size_t n) {
  if (n == 0) return;
  std::memcpy(reserve(n), bytes, n);
  used_ += n;
}

void Connection::put_string(std::string_view text) {
  put_bytes(text.data(), text.size());
  put_byte('\0');
}

void Connection::patch_int32(std::size_t position, std::int32_t v) { store32(buffer_ + position, static_cast<std::uint32_t>(v)); }

void Connection::end() {
  std::size_t length = used_ - message_start_ - 1;
  if (length > kLargeMessageLimit) {
    abandon_message();
    throw SqlError(sqlstate::program_limit_exceeded, "out of memory").detail("The message to the client is too long.");
  }
  patch_int32(message_start_ + 1, static_cast<std::int32_t>(length));
  in_message_ = false;
  if (used_ >= kSendThreshold) send_pending(used_);
}

void Connection::abandon_message() {
  if (!in_message_) return;
  used_ = message_start_;
  in_message_ = false;
}

// Sends the first `upto` bytes of the buffer and moves the rest down.
void Connection::send_pending(std::size_t upto) {
  std::size_t done = 0;
  SendingScope sending;
  while (done < upto && !lost_) {
    ssize_t n = -1;
    {
      BlockingCall blocking;
      n = ::send(socket_, buffer_ + done, upto - done, MSG_NOSIGNAL);
    }
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EINTR) {
      // A session told to end need not wait for a client that does not read.
      if (interrupt_flags.terminate) lost_ = true;
    } else {
      lost_ = true;
    }
  }
  if (lost_) raise_interrupt(&InterruptFlags::client_gone);
  std::memmove(buffer_, buffer_ + upto, used_ - upto);
  used_ -= upto;
  message_start_ = in_message_ ? message_start_ - upto : 0;
  if (used_ == 0 && capacity_ > kKeptBuffer) {
    std::free(buffer_);
    buffer_ = nullptr;
    capacity_ = 0;
    grow(kSendThreshold * 2);
  }
}

void Connection::flush() {
  if (used_ > 0) send_pending(used_);
}

void Connection::send_raw(std::string_view bytes) {
  put_bytes(bytes.data(), bytes.size());
  flush();
}

}  // namespace hathi::protocol
