#!/usr/bin/env python3
"""What the other sessions hear when a backend crashes and when the server is stopped at once. The last of the tests: it ends the server.
Needs PGDATA of a server that may be killed, and the right to signal its processes. Prints "ok NAME" or "failed NAME"."""
import os, re, signal, sys, time
import wire


def login():
    c = wire.Connection()
    c.send(wire.startup_packet(3, 0, [(b"user", wire.USER.encode()), (b"database", wire.DATABASE.encode())]))
    out = []
    while not out or out[-1][0] not in ("Z", "closed", "silence"):
        out.append(c.next(30))
    return c if out[-1][0] == "Z" else None


def rest(c):
    out = []
    while not out or out[-1][0] not in ("closed", "silence"):
        out.append(c.next(30))
    return [wire.describe(*m) if len(m[0]) == 1 else m[0] for m in out]


def check(name, good, got):
    print(("ok " if good else "failed ") + name, "" if good else got, flush=True)


def main():
    if "PGDATA" not in os.environ:
        return
    idle, sleeping, victim = login(), login(), login()
    sleeping.message("Q", b"select pg_sleep(60)\0")
    time.sleep(0.2)
    os.kill(int.from_bytes(victim.key[:4], "big"), signal.SIGKILL)
    warning = ["Notice WARNING 57P02 terminating connection because of crash of another server process\n    detail: The postmaster has commanded this server process to "
               "roll back the current transaction and exit, because another server process exited abnormally and possibly corrupted shared memory.\n    hint: In a moment "
               "you should be able to reconnect to the database and repeat your command.", "closed"]
    got = rest(idle)
    check("crash-idle-session", got == warning, got)
    got = rest(sleeping)
    check("crash-running-session", got[-2:] == warning, got)
    deadline, again = time.monotonic() + 30, None
    while again is None and time.monotonic() < deadline:
        try:
            again = login()
        except OSError:
            pass
        time.sleep(0.1)
    check("crash-and-back", again is not None, "")
    if again is None:
        return
    with open(os.path.join(os.environ["PGDATA"], "postmaster.pid")) as f:
        os.kill(int(f.readline()), signal.SIGQUIT)
    got = rest(again)
    check("immediate-shutdown", got == ["Notice WARNING 57P01 terminating connection due to immediate shutdown command", "closed"], got)


main()
