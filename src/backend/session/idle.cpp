#include "idle.h"

#include <unicode/utf8.h>

#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/shmem/client_watch.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/statistics/shared.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "notify.h"

namespace hathi::session {

namespace {

void reload_if_asked() {
  if (!interrupt_flags.reload_config) return;
  interrupt_flags.reload_config = 0;
  config::load_files(storage::data_directory(), false, true);
}

}  // namespace

void before_reading(Session& session) {
  reload_if_asked();
  if (session.connection.has_buffered_input()) return;
  char status = transaction_status();
  // What a busy session has counted goes out once a second, the rest when the client is quiet for a moment.
  if (status == 'I' && !statistics::flush(false, transaction::statement_timestamp())) session.connection.wake_when_quiet();
  if (status != 'I' && config::values::idle_in_transaction_session_timeout > 0 && !session.extended_message) {
    arm_timer(Timer::idle_in_transaction, config::values::idle_in_transaction_session_timeout);
  } else if (status == 'I' && config::values::idle_session_timeout > 0 && !session.in_command) {
    arm_timer(Timer::idle_session, config::values::idle_session_timeout);
  }
}

void after_reading(Session&) {
  if (timer_is_armed(Timer::idle_in_transaction)) disarm_timer(Timer::idle_in_transaction);
  if (timer_is_armed(Timer::idle_session)) disarm_timer(Timer::idle_session);
}

void serve_idle_interrupts() {
  // A cancel that comes between statements has nothing to cancel.
  discard_cancel();
  serve_interrupts();
  reload_if_asked();
  Session* session = current_session();
  if (session->connection.take_quiet() && transaction::block_state() == transaction::BlockState::none) statistics::flush(true);
  if (interrupt_flags.wake_up) {
    interrupt_flags.wake_up = 0;
    // In a transaction they wait for its end (send_ready).
    if (transaction::block_state() == transaction::BlockState::none && send_notifications(*session)) session->connection.flush();
  }
}

void abort_session_transaction(Session& session) {
  try {
    abort_command(session);
    if (transaction::block_state() != transaction::BlockState::none) transaction::abort();
  } catch (const std::exception& e) {
    panic(fmt::format("could not abort a transaction: {}", e.what()));
  }
}

void arm_statement_timeout() {
  if (config::values::statement_timeout > 0) arm_timer(Timer::statement, config::values::statement_timeout);
  Session* session = current_session();
  if (config::values::client_connection_check_interval > 0 && session != nullptr) {
    watch_client(session->connection.socket(), config::values::client_connection_check_interval);
  }
}

void disarm_statement_timeout() {
  if (timer_is_armed(Timer::statement)) disarm_timer(Timer::statement);
  stop_watching_client();
}

void require_valid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t i = 0;
  // Plain ASCII, eight bytes at a time.
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  auto length = static_cast<std::int32_t>(text.size());
  for (auto at = static_cast<std::int32_t>(i); at < length;) {
    std::int32_t start = at;
    UChar32 c;
    U8_NEXT(bytes, at, length, c);
    if (c > 0) continue;
    // The bytes shown are those the sequence's first byte promises.
    std::uint8_t lead = bytes[start];
    int promised = lead >= 0xF8 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    std::string shown;
    for (int k = start; k < start + promised && k < length; ++k) shown += fmt::format("{}0x{:02x}", shown.empty() ? "" : " ", bytes[k]);
    throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": {}", shown);
  }
}

}  // namespace hathi::session
