#include "hathi/protocol/farewell.h"

#include <sys/socket.h>

#include <csignal>
#include <string>
#include <string_view>

namespace hathi::protocol {

namespace {

// Read by the signal handler: set before the hook is.
int client = -1;
volatile std::sig_atomic_t is_sending = 0;
std::string crash_words, shutdown_words;

std::string notice(std::string_view code, std::string_view message, std::string_view detail, std::string_view hint) {
  using namespace std::string_view_literals;
  std::string body;
  auto field = [&body](char kind, std::string_view text) {
    if (text.empty()) return;
    body += kind;
    body.append(text).append(1, '\0');
  };
  field('S', "WARNING");
  field('V', "WARNING");
  field('C', code);
  field('M', message);
  field('D', detail);
  field('H', hint);
  body += '\0';
  auto length = static_cast<unsigned>(body.size() + 4);
  std::string out = "N";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift);
  return out + body;
}

void say_goodbye(QuitReason reason) {
  if (client < 0 || is_sending || reason == QuitReason::unknown) return;
  const std::string& words = reason == QuitReason::crash ? crash_words : shutdown_words;
  ::send(client, words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void prepare_farewell(int socket) {
  crash_words = notice("57P02", "terminating connection because of crash of another server process",
                       "The postmaster has commanded this server process to roll back the current transaction and exit, because another server process exited "
                       "abnormally and possibly corrupted shared memory.",
                       "In a moment you should be able to reconnect to the database and repeat your command.");
  shutdown_words = notice("57P01", "terminating connection due to immediate shutdown command", "", "");
  client = socket;
  set_quit_hook(say_goodbye);
}

SendingScope::SendingScope() { is_sending = 1; }
SendingScope::~SendingScope() { is_sending = 0; }

}  // namespace hathi::protocol
