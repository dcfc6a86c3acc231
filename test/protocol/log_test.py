#!/usr/bin/env python3
"""What the server log says: log_statement, durations, parameters, errors, lock waits, connections, log_line_prefix.
Compares with expected/log.txt, which holds what PostgreSQL 15 logged. log_test.py [--record]; PGLOG is the server's log file."""
import difflib, os, re, sys, time
import wire

here = os.path.dirname(os.path.abspath(__file__))
LOG = os.environ.get("PGLOG")


def login(name, *settings):
    c = wire.Connection()
    pairs = [("user", wire.USER), ("database", wire.DATABASE), ("application_name", name)] + [s.split("=", 1) for s in settings]
    c.send(wire.startup_packet(3, 0, [(k.encode(), v.encode()) for k, v in pairs]))
    until(c, ("Z",))
    return c


def until(c, kinds):
    out = []
    while not out or out[-1][0] not in kinds + ("closed", "silence"):
        out.append(c.next(30))
    return out


def ask(c, *statements):
    for sql in statements:
        c.message("Q", sql.encode() + b"\0")
        answer = until(c, ("Z",))
    return [wire.describe(*m) for m in answer if m[0] == "D"]


def extended(c, sql, values, name=b"", portal=b""):
    c.message("P", name + b"\0" + sql.encode() + b"\0\0\0")
    body = portal + b"\0" + name + b"\0\0\0" + len(values).to_bytes(2, "big")
    for v in values:
        body += b"\xff\xff\xff\xff" if v is None else len(v).to_bytes(4, "big") + v
    c.message("B", body + b"\0\0")
    c.message("E", portal + b"\0\0\0\0\0")
    c.message("S", b"")
    until(c, ("Z",))


def exercise(admin):
    c = login("logged")
    ask(c, "set log_statement = 'ddl'", "create table logged (a int)", "insert into logged values (1)", "select 'not logged'")
    ask(c, "set log_statement = 'mod'", "insert into logged values (2)", "select 'not logged'; delete from logged where a = 2", "copy logged to stdout")
    ask(c, "set log_statement = 'all'", "select 'logged',\n  2", "begin; select 1; commit", "show work_mem")
    extended(c, "select $1::int, $2::text, $3::date", [b"5", b"it's", None])
    extended(c, "insert into logged values ($1)", [b"7"], b"named", b"portal")
    ask(c, "set log_parameter_max_length = 3")
    extended(c, "select $1::text", [b"abcdefgh"])
    ask(c, "set log_parameter_max_length = 0")
    extended(c, "select $1::text", [b"abcdefgh"])
    ask(c, "reset log_parameter_max_length")
    ask(c, "select 1/0", "select * from nowhere")
    ask(c, "set log_statement = 'none'", "select 1/0", "selec", "set log_min_error_statement = 'fatal'", "select 1/0", "reset log_min_error_statement")
    ask(c, "insert into logged values ('x')", "create table uniquely (a int primary key, b int check (b > 0))", "insert into uniquely values (1)", "insert into uniquely values (1)",
        "insert into uniquely values (2, -1)")
    ask(c, "set log_error_verbosity = 'terse'", "insert into uniquely values (1)", "reset log_error_verbosity")
    ask(c, "set log_min_messages = 'error'", "commit", "set log_min_messages = 'warning'", "commit", "reset log_min_messages")
    ask(c, "set log_duration = on", "select 1", "set log_statement = 'all'", "select 2", "set log_statement = 'none'")
    extended(c, "select 3", [])
    ask(c, "set log_duration = off", "set log_min_duration_statement = 0", "select 4", "select 1/0")
    extended(c, "select $1::int", [b"5"], b"named2")
    ask(c, "set log_statement = 'all'", "select 6", "set log_statement = 'none'", "set log_min_duration_statement = 200", "select 7", "select pg_sleep(0.25)")
    ask(c, "set log_min_duration_statement = -1", "set log_min_duration_sample = 0", "set log_statement_sample_rate = 0", "select 8", "set log_statement_sample_rate = 1", "select 9",
        "reset log_min_duration_sample")
    # waits for locks
    ask(admin, "begin; lock table logged")
    ask(c, "set log_lock_waits = on; set deadlock_timeout = 50")
    c.message("Q", b"select count(*) from logged\0")
    time.sleep(0.4)
    ask(admin, "commit")
    until(c, ("Z",))
    ask(c, "set log_lock_waits = off", "drop table logged; drop table uniquely")
    c.message("X", b"")
    time.sleep(0.2)
    d = login("comes and goes", "log_connections=on", "log_disconnections=on")
    ask(d, "select 1")
    d.message("X", b"")
    time.sleep(0.3)


def normalised(text):
    text = re.sub(r"\d+\.\d{3} ms", "N ms", text)
    text = re.sub(r"(process|Process holding the lock:|Wait queue:|PID) \d+", r"\1 N", text, flags=re.I)
    text = re.sub(r"session time: [\d:.]+", "session time: T", text)
    text = re.sub(r"(relation|database) \d+", r"\1 N", text)
    text = re.sub(r"(process N .*) at character \d+", r"\1", text)   # the position of the table's name: not kept here
    return [line for line in text.splitlines() if not re.match(r".*checkpoint (starting|complete)|.*parameter \"log_line_prefix\"|.*received SIGHUP", line)]


def main():
    if LOG is None:
        return
    admin = login("admin")
    ask(admin, "alter system set log_line_prefix = '[%q%a %u@%d %b %h %r %e %i|%5d|%-10d|%%] '", "select pg_reload_conf()")
    while ask(admin, "show log_line_prefix")[0].find("%q") < 0:
        time.sleep(0.05)
    time.sleep(0.3)
    with open(LOG) as f:
        f.seek(0, 2)
        exercise(admin)
        lines = [l for l in normalised(f.read()) if not l.startswith("[admin")]
    ask(admin, "alter system reset log_line_prefix", "select pg_reload_conf()")
    path = os.path.join(here, "expected/log.txt")
    if "--record" in sys.argv:
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
        return
    with open(path) as f:
        expected = f.read().splitlines()
    if lines == expected:
        print("ok log")
    else:
        print("failed log")
        print("\n".join(difflib.unified_diff(expected, lines, "expected", "log", lineterm="", n=1)))


main()
