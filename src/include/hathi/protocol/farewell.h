#pragma once
// The last words to a client whose session is ended from a signal handler.

#include "hathi/shmem/quit.h"

namespace hathi::protocol {

// From now on SIGQUIT tells this client why it loses its session (57P02 or 57P01), if no message is half-sent to it.
void prepare_farewell(int socket);
// A message may be half-sent while in scope.
class SendingScope {
 public:
  SendingScope();
  ~SendingScope();
  SendingScope(const SendingScope&) = delete;
  SendingScope& operator=(const SendingScope&) = delete;
};

}  // namespace hathi::protocol
