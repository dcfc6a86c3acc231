#pragma once
// LISTEN, UNLISTEN, NOTIFY: what a session asked for takes effect when its transaction commits.

#include <span>
#include <string_view>

#include "hathi/datum/function.h"
#include "hathi/session/session.h"

namespace hathi::session {

void run_listen(std::string_view channel);
void run_unlisten(std::string_view channel);   // empty: all
// 22023 when the channel is empty or too long, or the payload is.
void run_notify(std::string_view channel, std::string_view payload);
// At once, without a transaction: DISCARD ALL, the end of the session.
void forget_all_channels();
// Sends what came for this session's channels as NotificationResponses (not flushed); true when there were any. Outside transactions only.
bool send_notifications(Session& session);
// Hooks at the ends of transactions; once, before the first fork.
void register_notify_hooks();
// pg_notify, pg_listening_channels, pg_notification_queue_usage.
std::span<const BuiltinFunction> notify_functions();

}  // namespace hathi::session
