#pragma once
// The v3 message stream over one socket: framing, bounds, buffering. Knows nothing of what messages mean.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hathi::protocol {

// A message received: its type byte and its body (valid until the next read).
struct Message {
  char type = '\0';
  std::span<const char> body;
};

// Reads the parts of a body; every read is checked against its end and throws 08P01 as PostgreSQL words it.
class BodyReader {
 public:
  explicit BodyReader(std::span<const char> body) : body_(body) {}
  std::uint8_t byte();
  std::int16_t int16();
  std::int32_t int32();
  std::string_view string();                    // up to its NUL; 08P01 "invalid string in message"
  std::span<const char> bytes(std::size_t n);   // 08P01 "insufficient data left in message"
  std::size_t remaining() const { return body_.size() - position_; }
  void expect_end() const;                      // 08P01 "invalid message format"
 private:
  std::span<const char> body_;
  std::size_t position_ = 0;
};

// Owns the socket. Blocking; signals that set an interrupt flag end waits.
class Connection {
 public:
  explicit Connection(int socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  int socket() const { return socket_; }

  // --- input ---
  // A start-up packet's body (without its length); false at a clean end of file or a bad length (closed without a word).
  bool read_startup_packet(std::string& body);
  // The next message; false when the client is gone or broke the framing. Bounded by message type: a small kind of over 10,000
  // bytes, or any over 2^30 - 1, breaks it. serve_interrupts is called when a signal interrupted the wait for its first byte.
  bool read_message(Message& out, void (*serve_interrupts)());
  // Is input waiting that was already read (pipelining)?
  bool has_buffered_input() const { return read_position_ < read_end_; }
  // Non-blocking look: has the client closed the socket?
  bool client_closed() const;
  // From now on a wait for input that lasts a second calls serve_interrupts once more; for work put off until the client is quiet.
  void wake_when_quiet();
  // Did that happen since the last call?
  bool take_quiet() { return std::exchange(quiet_, false); }
  // Is a message's byte available without blocking?
  bool input_ready() const;

  // --- output: appended to a buffer, sent when it is large or on flush() ---
  // begin/end frame one message: the length is filled in by end(). Between them append with put_*.
  void begin(char type);
  void put_byte(char v) { *reserve(1) = v; used_ += 1; }
  void put_int16(std::int16_t v);
  void put_int32(std::int32_t v);
  void put_bytes(const void* bytes, std::size_t n);
  void put_string(std::string_view text);       // with NUL
  // Room for n bytes at the write position: fill it, then advance(n). For encoders that write in place.
  char* reserve(std::size_t n) { if (capacity_ - used_ < n) grow(n); return buffer_ + used_; }
  void advance(std::size_t n) { used_ += n; }
  std::size_t position() const { return used_; }
  void patch_int32(std::size_t position, std::int32_t v);
  void end();
  // Drops the message begun but not ended (an error struck while it was built).
  void abandon_message();
  // Sends what is pending. A lost client sets interrupt_flags.client_gone and drops the output.
  void flush();
  // Forgets what is pending: a client that leaves does not read it.
  void discard_output() { used_ = message_start_ = 0; in_message_ = false; }
  bool is_lost() const { return lost_; }
  // Writes one byte outside any message (SSLRequest's answer).
  void send_raw(std::string_view bytes);

 private:
  void grow(std::size_t n);
  void send_pending(std::size_t upto);
  bool fill(std::size_t needed, void (*serve)());

  int socket_;
  bool lost_ = false;
  bool wakes_when_quiet_ = false, quiet_ = false;
  char* buffer_ = nullptr;            // output
  std::size_t used_ = 0, capacity_ = 0, message_start_ = 0;
  bool in_message_ = false;
  std::vector<char> input_;
  std::size_t read_position_ = 0, read_end_ = 0;
};

}  // namespace hathi::protocol
