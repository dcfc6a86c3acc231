#include "hathi/shmem/interrupts.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>

#include "../forked.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/process_slot.h"

namespace hathi {
namespace {

using test::fork_child;
using test::in_child;
using test::wait_child;

// What check_interrupts() throws within a while, "none" when nothing came.
std::string next_interrupt() {
  try {
    for (int i = 0; i < 2000; ++i) {
      check_interrupts();
      shmem::my_latch().wait(5);
      shmem::my_latch().reset();
    }
  } catch (const SqlError& error) { return error.report().message; }
  return "none";
}

TEST(Interrupts, SignalsBecomeErrors) {
  EXPECT_EQ(in_child([] {
              install_child_signal_handlers();
              kill(getpid(), SIGINT);
              if (next_interrupt() != "canceling statement due to user request") return 1;
              arm_timer(Timer::statement, 10);
              if (next_interrupt() != "canceling statement due to statement timeout") return 2;
              {
                HoldInterrupts hold;
                kill(getpid(), SIGTERM);
                check_interrupts();
              }
              if (next_interrupt() != "terminating connection due to administrator command") return 3;
              kill(getpid(), SIGHUP);
              check_interrupts();
              if (!interrupt_flags.reload_config) return 4;
              kill(getpid(), SIGQUIT);
              return 5;
            }),
            2);
}

TEST(Interrupts, TimersKeepTheirOwnDeadlines) {
  EXPECT_EQ(in_child([] {
              install_child_signal_handlers();
              arm_timer(Timer::idle_session, 60);
              arm_timer(Timer::statement, 20);
              disarm_timer(Timer::statement);
              arm_timer(Timer::idle_in_transaction, 100000);
              return next_interrupt() == "terminating connection due to idle-session timeout" && !timer_is_armed(Timer::idle_session) &&
                             timer_is_armed(Timer::idle_in_transaction)
                         ? 0
                         : 1;
            }),
            0);
}

TEST(Interrupts, ABlockingCallNeverSleepsThroughASignal) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  pid_t child = fork_child([&] {
    install_child_signal_handlers();
    for (int i = 0; i < 300; ++i) {
      if (write(pair[1], "x", 1) != 1) return 1;
      for (;;) {
        if (interrupt_flags.any) {
          discard_cancel();
          interrupt_flags.any = 0;
          break;
        }
        char c;
        BlockingCall call;
        if (recv(pair[1], &c, 1, 0) == 1) return 2;
      }
    }
    return 0;
  });
  for (int i = 0; i < 300; ++i) {
    char c;
    ASSERT_EQ(read(pair[0], &c, 1), 1);
    kill(child, SIGINT);
  }
  EXPECT_EQ(wait_child(child), 0);
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace hathi
