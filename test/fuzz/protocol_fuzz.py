#!/usr/bin/env python3
"""Garbage, mutated messages, mutated statements and made ones to a server.
protocol_fuzz.py [--seconds N] [--seed N] [--sql-only] [--made SHARE]   SHARE of the statements (default 0.5) are made by grammar.py.
PGHOST, PGPORT, PGUSER, PGDATABASE say where. Status 1 when a backend crashed (a watching session was ended) or the server stopped answering."""
import argparse, glob, os, random, re, struct, sys, time
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../protocol"))
import grammar, wire

DANGEROUS = re.compile(r"program|pg_terminate|pg_cancel|pg_sleep|pg_reload|pg_rotate|alter\s+system|database|pg_read|pg_ls|lo_|tablespace|checkpoint|"
                       r"generate_series\s*\([^)]*\d{5}|repeat\s*\([^)]*\d{5}|role|superuser|authorization|vacuum|\bcopy\b[^;]*['/]", re.I)
WORDS = ("select ( ) from where ' \" $1 $2 , ; * = <> :: int text numeric(5,2) null array[1,2] row(1,2) case when then end union all group by order limit 1 offset "
         "for update over (partition by) with recursive as not in exists any some distinct on cast(1 interval '1' date '2020-01-01' 'infinity' nan 1e400 "
         "-9223372036854775808 2147483648 0 -1 0.5 'x' E'\\\\' true returning default values insert into update set delete create temp table if cascade "
         "begin commit rollback savepoint prepare execute declare cursor fetch close explain analyze generate_series(1,3) count(*) sum max string_agg "
         "coalesce nullif greatest current_date now() pg_class pg_type information_schema.tables").split(" ")


def statements():
    out = []
    for path in sorted(glob.glob(os.path.join(here, "../regress/sql/*.sql"))):
        with open(path) as f:
            text = re.sub(r"^\\.*$", "", f.read(), flags=re.M)
        out += [s.strip() for s in re.split(r";\s*\n", text) if s.strip()]
    return [s for s in out if len(s) < 2000]


class Fuzzer:
    def __init__(self, seed, made=0.5):
        self.random, self.made = random.Random(seed), made
        self.grammar = grammar.Grammar(self.random)
        self.seeds = statements()
        self.sent = []

    def sql(self):
        r = self.random
        if self.made > 0 and r.random() < self.made:
            text = self.grammar.statement()
            return text if r.random() < 0.9 else self.mutated_sql(text)
        return self.mutated_sql(r.choice(self.seeds))

    def mutated_sql(self, text):
        r = self.random
        for _ in range(r.choice((0, 1, 1, 2, 3, 5))):
            tokens = re.findall(r"\s+|\w+|'[^']*'|.", text, re.S) or [" "]
            at = r.randrange(len(tokens))
            action = r.randrange(6)
            if action == 0:
                tokens[at] = " " + r.choice(WORDS) + " "
            elif action == 1:
                tokens.insert(at, " " + r.choice(WORDS) + " ")
            elif action == 2:
                del tokens[at:at + r.randrange(1, 4)]
            elif action == 3:
                other = re.findall(r"\s+|\w+|'[^']*'|.", r.choice(self.seeds), re.S)
                start = r.randrange(len(other))
                tokens[at:at + r.randrange(4)] = other[start:start + r.randrange(1, 12)]
            elif action == 4:
                tokens[at:at] = tokens[at:at + r.randrange(1, 6)] * r.randrange(1, 4)
            else:
                other = r.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            text = "".join(tokens)[:5000]
        return text if not DANGEROUS.search(text) else "select 1"

    def garbage(self, limit=60):
        r = self.random
        return bytes(r.randrange(256) for _ in range(r.randrange(limit)))

    def damaged(self, data):
        r = self.random
        data = bytearray(data)
        for _ in range(r.randrange(1, 4)):
            if not data:
                break
            at = r.randrange(len(data))
            action = r.randrange(4)
            if action == 0:
                data[at] = r.choice((0, 1, 127, 128, 255, r.randrange(256)))
            elif action == 1:
                del data[at:at + r.randrange(1, 5)]
            elif action == 2:
                data[at:at] = self.garbage(8)
            else:
                data[at:at + 4] = struct.pack("!i", r.choice((-1, -2, 0, 1, 2 ** 31 - 1, -2 ** 31, 65535, 8, 10000)))
        return bytes(data)

    def message(self):
        r = self.random
        sql = self.sql().encode(errors="replace").replace(b"\0", b"")
        name = r.choice((b"", b"s", b"t", b"p"))
        types = [r.choice((0, 16, 20, 23, 25, 700, 701, 1043, 1082, 1114, 1184, 1186, 1700, 1007, 869, 2950, 17, 2249, 2287, 99999999)) for _ in range(r.choice((0, 0, 1, 2)))]
        values = [r.choice((None, b"1", b"x", b"\0\0\0\1", self.garbage(20))) for _ in range(r.choice((0, 0, 1, 2, 3)))]
        bind = name + b"\0" + r.choice((b"", b"s", b"t")) + b"\0" + struct.pack("!hh", 1, r.choice((0, 0, 1, 1, 2))) + struct.pack("!h", len(values))
        bind += b"".join(struct.pack("!i", -1) if v is None else struct.pack("!i", len(v)) + v for v in values) + struct.pack("!hh", 1, r.choice((0, 1)))
        kind, body = r.choice((
            (b"Q", sql + b"\0"), (b"Q", sql + b"\0"),
            (b"P", name + b"\0" + sql + b"\0" + struct.pack("!h", len(types)) + b"".join(struct.pack("!I", t) for t in types)),
            (b"B", bind), (b"B", bind), (b"D", r.choice((b"S", b"P", b"X")) + name + b"\0"), (b"E", name + b"\0" + struct.pack("!i", r.choice((0, 1, 2, -1)))),
            (b"C", r.choice((b"S", b"P")) + name + b"\0"), (b"H", b""), (b"S", b""), (b"S", b""), (b"d", self.garbage()), (b"c", b""), (b"f", b"no\0"), (b"F", self.garbage())))
        if r.random() < 0.15:
            body = self.damaged(body)
        length = len(body) + 4
        if r.random() < 0.01:
            kind, length = bytes([r.randrange(256)]), r.choice((0, 3, 4, 5, 2 ** 30, 2 ** 31, 2 ** 32 - 1, length + 1))
        return kind + struct.pack("!I", length) + body

    def start_up(self):
        r = self.random
        packet = wire.startup_packet(3, 0, [(b"user", wire.USER.encode()), (b"database", wire.DATABASE.encode()), (b"options", b"-c statement_timeout=2s -c lock_timeout=500")])
        choice = r.random()
        if choice < 0.85:
            return packet
        if choice < 0.95:
            return self.damaged(packet)
        return self.garbage(200)


def drain(connection):
    """What has come; False when the server has closed."""
    while (state := connection.fill(0)):
        connection.input = b""
    return state is not False


def session(fuzzer):
    """Opens a connection and gives the means to go on with it."""
    connection = wire.Connection()
    sent = [fuzzer.start_up()]
    connection.send(sent[0])
    return connection, sent


def run(fuzzer, seconds, sql_only):
    watcher = wire.Connection()
    watcher.send(wire.startup_packet(3, 0, [(b"user", wire.USER.encode()), (b"database", wire.DATABASE.encode())]))
    while watcher.next()[0] != "Z":
        pass
    # What the statements are about.
    for statement in (list(grammar.SETUP) if fuzzer.made > 0 else []) + fuzzer.seeds:
        if not re.match(r"\s*(drop|begin|rollback|commit|savepoint|start)", statement, re.I) and not DANGEROUS.search(statement):
            watcher.message("Q", statement.encode() + b"\0")
            while (m := watcher.next())[0] not in ("Z", "G", "closed"):
                pass
            if m[0] == "G":
                watcher.message("f", b"no\0")
                while watcher.next()[0] not in ("Z", "closed"):
                    pass
    watcher.message("Q", b"rollback\0")
    while watcher.next()[0] not in ("Z", "closed"):
        pass
    deadline, sessions, gone, messages, count, last_look = time.monotonic() + seconds, [], [], 0, 0, 0.0
    while time.monotonic() < deadline:
        while len(sessions) < 8:
            try:
                sessions.append(session(fuzzer))
            except OSError:
                break
            count += 1
        for entry in list(sessions):
            connection, sent = entry
            data = fuzzer.message() if not sql_only else b"Q" + (lambda b: struct.pack("!I", len(b) + 4) + b)(fuzzer.sql().encode(errors="replace").replace(b"\0", b"") + b"\0")
            sent.append(data)
            del sent[:-6]
            connection.socket.setblocking(False)
            connection.send(data)
            connection.socket.setblocking(True)
            messages += 1
            if not drain(connection) or fuzzer.random.random() < 0.01:
                connection.socket.close()
                sessions.remove(entry)
                gone.append(sent)
                del gone[:-20]
        if time.monotonic() - last_look > 0.2:
            last_look = time.monotonic()
            watcher.message("Q", b"select 1\0")
            answer = []
            while not answer or answer[-1][0] not in ("Z", "closed", "silence"):
                answer.append(watcher.next(30))
            if answer[-1][0] != "Z" or not any(k == "D" for k, _ in answer):
                print("the watching session was lost:", [wire.describe(*m) if len(m[0]) == 1 else m[0] for m in answer])
                for sent in gone + [sent for _, sent in sessions]:
                    print("  last sent:", *(repr(s[:3000]) for s in sent[-3:]), sep="\n    ")
                return False
    print(f"{count} connections, {messages} messages")
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sql-only", action="store_true")
    parser.add_argument("--made", type=float, default=0.5)
    options = parser.parse_args()
    sys.exit(0 if run(Fuzzer(options.seed, options.made), options.seconds, options.sql_only) else 1)
