#pragma once
// The shared queue of notifications: committed NOTIFYs on their way to the sessions that listen.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::session {

struct Notification {
  std::string channel, payload;
  std::int32_t sender = 0;   // process id
};

// --- a listener's side ---
// This process listens from now on: it gets what is published after this call. Repeats do nothing.
void join_notify_queue();
void leave_notify_queue();
// What was published for this process's database since the last call; empty when it does not listen.
std::vector<Notification> take_notifications();

// --- a sender's side; the caller holds the lock that orders commits of senders ---
// Room for that many bytes of entries, or 54000. Call before the commit is recorded.
void require_notify_room(std::size_t bytes);
std::size_t notify_entry_size(std::string_view channel, std::string_view payload);
// Publishes and wakes the listeners of this database. Never throws: room was made sure of.
void publish_notifications(const std::vector<Notification>& notifications);

// The part of the queue that is filled, 0 to 1.
double notify_queue_usage();

}  // namespace hathi::session
