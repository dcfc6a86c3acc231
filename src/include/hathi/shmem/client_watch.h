#pragma once
// client_connection_check_interval: a look now and then whether the client of a running statement is still there.

namespace hathi {

// From now on looks at the socket every so many milliseconds; raises client_gone once the peer has closed it.
void watch_client(int socket, int milliseconds);
// Until the next call of watch_client().
void stop_watching_client();

}  // namespace hathi
