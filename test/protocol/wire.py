#!/usr/bin/env python3
"""Plays a script of protocol messages against a server and prints what comes back, in words. README.md describes the scripts."""
import os, re, select, socket, struct, sys, time

HOST, PORT = os.environ.get("PGHOST", "/tmp"), int(os.environ.get("PGPORT", "5432"))
USER, DATABASE = os.environ.get("PGUSER", "postgres"), os.environ.get("PGDATABASE", "postgres")
PATIENCE = float(os.environ.get("WIRE_PATIENCE", "30"))
LONG = 200  # longer texts are shown by their length
FIRST_USER_OID = 12000  # those of views are above it too


def unescape(text):
    """{TEXT*N} repeats, {$A..$B} counts; backslash escapes make any byte."""
    text = re.sub(r"\{\$(\d+)\.\.\$(\d+)\}", lambda m: ",".join(f"${i}" for i in range(int(m.group(1)), int(m.group(2)) + 1)), text)
    text = re.sub(r"\{([^{}*]*)\*(\d+)\}", lambda m: m.group(1) * int(m.group(2)), text)
    if "\\" not in text:
        return text.encode()
    return re.sub(rb"\\(x[0-9a-fA-F]{2}|[0nrt\\])",
                  lambda m: bytes([int(m.group(1)[1:], 16)]) if m.group(1)[:1] == b"x"
                  else {b"0": b"\0", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}[m.group(1)], text.encode())


def shown(data):
    if len(data) > LONG:
        return f"<{len(data)} bytes>"
    try:
        text = data.decode()
        if all(c.isprintable() for c in text):
            return text
    except UnicodeDecodeError:
        pass
    return "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in data)


class Reader:
    def __init__(self, body):
        self.body, self.at = body, 0

    def take(self, n):
        self.at += n
        return self.body[self.at - n:self.at]

    def int16(self):
        return struct.unpack("!h", self.take(2))[0]

    def int32(self):
        return struct.unpack("!i", self.take(4))[0]

    def string(self):
        end = self.body.index(b"\0", self.at)
        out, self.at = self.body[self.at:end], end + 1
        return out.decode(errors="backslashreplace")


FIELDS = {"D": "detail", "H": "hint", "P": "position", "p": "internal position", "q": "query", "W": "where", "s": "schema", "t": "table",
          "c": "column", "d": "type", "n": "constraint"}
SIMPLE = {"1": "ParseComplete", "2": "BindComplete", "3": "CloseComplete", "n": "NoData", "s": "PortalSuspended", "I": "EmptyQueryResponse",
          "c": "CopyDone"}


def describe_error(reader):
    fields = {}
    while (code := reader.take(1)) not in (b"\0", b""):
        fields[code.decode()] = reader.string()
    lines = [f"{fields.get('S')} {fields.get('C')} {fields.get('M')}"]
    lines += [f"    {name}: {fields[code]}" for code, name in FIELDS.items() if code in fields]
    return "\n".join(lines)


def type_name(oid):
    return str(oid) if oid < FIRST_USER_OID else "user"


def describe_columns(reader):
    columns = []
    for _ in range(reader.int16()):
        name, table, column = reader.string(), reader.int32(), reader.int16()
        kind, length, modifier, form = reader.int32(), reader.int16(), reader.int32(), reader.int16()
        origin = "table" if table >= FIRST_USER_OID else table
        columns.append(f"{name}({origin}.{column} type {type_name(kind)} length {length} modifier {modifier} format {form})")
    return ", ".join(columns)


def describe(kind, body):
    r = Reader(body)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind == "R":
        code = r.int32()
        rest = " ".join(x.decode() for x in body[4:].split(b"\0") if x) if code == 10 else ""
        return f"Authentication {code} {rest}".rstrip()
    if kind == "S":
        name, value = r.string(), r.string()
        return f"ParameterStatus {name} = {'...' if name == 'server_version' else value}"
    if kind == "K":
        return "BackendKeyData"
    if kind == "Z":
        return f"ReadyForQuery {body.decode()}"
    if kind == "C":
        return f"CommandComplete {r.string()}"
    if kind == "T":
        return f"RowDescription {describe_columns(r)}"
    if kind == "t":
        return "ParameterDescription " + " ".join(type_name(r.int32()) for _ in range(struct.unpack("!H", r.take(2))[0]))
    if kind == "D":
        values = []
        for _ in range(r.int16()):
            n = r.int32()
            values.append("NULL" if n < 0 else shown(r.take(n)))
        return "DataRow " + " | ".join(values)
    if kind in "EN":
        return ("Error " if kind == "E" else "Notice ") + describe_error(r)
    if kind == "A":
        r.int32()
        return f"Notification {r.string()} {shown(r.string().encode())}"
    if kind in "GHW":
        form, count = r.take(1)[0], r.int16()
        return f"{dict(G='CopyInResponse', H='CopyOutResponse')[kind]} format {form}, columns {' '.join(str(r.int16()) for _ in range(count))}"
    if kind == "d":
        return f"CopyData {shown(body)}"
    if kind == "v":
        newest, count = r.int32(), r.int32()
        return f"NegotiateProtocolVersion {newest >> 16}.{newest & 65535} {' '.join(r.string() for _ in range(count))}".rstrip()
    return f"{kind} {shown(body)}"


def startup_packet(major, minor, pairs):
    body = struct.pack("!HH", major, minor) + b"".join(k + b"\0" + v + b"\0" for k, v in pairs) + b"\0"
    return struct.pack("!i", len(body) + 4) + body


class Connection:
    def __init__(self):
        if HOST.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(f"{HOST}/.s.PGSQL.{PORT}")
        else:
            self.socket = socket.create_connection((HOST, PORT))
        self.input, self.key, self.columns = b"", None, 0

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # the server has closed: reading will say so

    def message(self, kind, body):
        self.send(kind.encode() + struct.pack("!i", len(body) + 4) + body)

    def fill(self, patience):
        """More input: True, at the end of the stream False, after the time None."""
        if not select.select([self.socket], [], [], patience)[0]:
            return None
        try:
            data = self.socket.recv(1 << 20)
        except OSError:
            return False
        self.input += data
        return bool(data)

    def next(self, patience=PATIENCE):
        """(kind, body), or a word when there is none."""
        deadline = time.monotonic() + patience
        while True:
            if len(self.input) >= 5:
                size = struct.unpack("!i", self.input[1:5])[0]
                if len(self.input) > size:
                    kind, body = chr(self.input[0]), self.input[5:size + 1]
                    self.input = self.input[size + 1:]
                    if kind == "K":
                        self.key = body
                    return kind, body
            state = self.fill(max(0.0, deadline - time.monotonic()))
            if not state:
                return "closed" if state is False else "silence", self.input


class Player:
    def __init__(self, out):
        self.connections, self.current, self.out = {}, None, out

    @property
    def c(self):
        return self.connections[self.current]

    def say(self, text):
        self.out.write(text + "\n")

    def read(self, until, patience=PATIENCE, quiet=False):
        while True:
            kind, body = self.c.next(patience)
            if kind in ("closed", "silence"):
                self.say(f"  {kind}" + (f" after {shown(body)}" if body else ""))
                return
            if not quiet or kind == "E":
                self.say("  " + describe(kind, body))
            if kind in until:
                return

    # --- one method a command ---
    def do_connect(self, name, *settings):
        self.current = name
        self.connections[name] = Connection()
        pairs = [("user", USER), ("database", DATABASE)] + [s.split("=", 1) for s in settings]
        self.c.send(startup_packet(3, 0, [(k.encode(), unescape(v)) for k, v in pairs]))
        self.read("Z", quiet=True)

    def do_start(self, name):
        self.current = name
        self.connections[name] = Connection()

    def do_startup(self, version, *settings):
        major, minor = version.split(".")
        pairs = [s.split("=", 1) for s in settings]
        if not any(k == "user" for k, _ in pairs):
            pairs = [("user", USER), ("database", DATABASE)] + pairs
        self.c.send(startup_packet(int(major), int(minor), [(k.encode(), unescape(v)) for k, v in pairs]))
        self.read("Z")

    def do_request(self, code):
        self.c.send(struct.pack("!ii", 8, {"ssl": 80877103, "gss": 80877104}[code]))
        self.c.fill(PATIENCE)
        self.say(f"  byte {shown(self.c.input[:1])}")
        self.c.input = self.c.input[1:]

    def do_cancel(self, name, wrong=""):
        key = bytearray(self.connections[name].key)
        if wrong:
            key[7] ^= 1
        other = Connection()
        other.send(struct.pack("!ii", 16, 80877102) + key)
        state = other.fill(PATIENCE)
        self.say(f"  {'closed without a byte' if state is False else 'answered ' + shown(other.input)}")
        other.socket.close()

    def do_on(self, name):
        self.current = name

    def do_close(self):
        self.c.socket.close()

    def do_halfclose(self):
        self.c.socket.shutdown(socket.SHUT_WR)

    def do_sleep(self, seconds):
        time.sleep(float(seconds))

    def do_raw(self, text):
        self.c.send(unescape(text))

    def do_message(self, kind, text=""):
        body = unescape(text)
        self.c.send(unescape(kind) + struct.pack("!i", len(body) + 4) + body)

    def do_length(self, kind_and_length, text=""):
        """A message whose length field lies."""
        kind, length = kind_and_length.split()
        self.c.send(kind.encode() + struct.pack("!I", int(length)) + unescape(text))

    def do_read(self, until="Z", seconds=PATIENCE):
        self.read(until, float(seconds))

    def do_expect(self, what, seconds="0.3"):
        kind, body = self.c.next(PATIENCE if what == "closed" else float(seconds))
        self.say(f"  {kind}" if kind in ("closed", "silence") else "  " + describe(kind, body))

    def do_query(self, text=""):
        self.c.message("Q", unescape(text) + b"\0")

    def do_Query(self, text=""):
        self.do_query(text)
        self.read("ZG")

    def do_bytewise(self, text):
        for b in unescape(f"Q\\0\\0\\0\\x{len(text) + 5:02x}{text}\\0"):
            self.c.send(bytes([b]))
        self.read("Z")

    def do_wait(self, text):
        """Asks until the answer is true."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.do_query(text)
            answer = []
            while (m := self.c.next())[0] not in ("Z", "closed", "silence"):
                answer.append(m)
            if any(k == "D" and b.endswith(b"\0\0\0\1t") for k, b in answer):
                return self.say("  true")
            time.sleep(0.02)
        self.say("  never true: " + "; ".join(describe(*m) for m in answer))

    def do_parse(self, name="", text="", types=""):
        numbers = [int(x) for x in types.split()]
        self.c.message("P", unescape(name) + b"\0" + unescape(text) + b"\0" + struct.pack("!H", len(numbers)) + b"".join(struct.pack("!I", t) for t in numbers))

    def do_bind(self, portal="", statement="", values="", formats="", result_formats=""):
        def codes(text):
            numbers = [int(x) for x in text.split()]
            return struct.pack("!H", len(numbers)) + b"".join(struct.pack("!h", n) for n in numbers)
        parts = [p.strip() for p in values.split(",")] if values else []
        if len(parts) == 1 and (m := re.fullmatch(r"(\w+) times (\d+)", parts[0])):
            parts = [m.group(1)] * int(m.group(2))
        body = unescape(portal) + b"\0" + unescape(statement) + b"\0" + codes(formats) + struct.pack("!H", len(parts) & 65535)
        for p in parts:
            data = unescape(p)
            body += struct.pack("!i", -1) if p == "NULL" else struct.pack("!i", len(data)) + data
        self.c.message("B", body + codes(result_formats))

    def do_describe(self, what="P"):
        kind, _, name = what.partition(" ")
        self.c.message("D", kind.encode() + unescape(name) + b"\0")

    def do_execute(self, portal="", limit="0"):
        self.c.message("E", unescape(portal) + b"\0" + struct.pack("!i", int(limit)))

    def do_closing(self, what="S"):
        kind, _, name = what.partition(" ")
        self.c.message("C", kind.encode() + unescape(name) + b"\0")

    def do_flush(self):
        self.c.message("H", b"")

    def do_sync(self):
        self.c.message("S", b"")

    def do_Sync(self):
        self.do_sync()
        self.read("Z")

    def do_data(self, text):
        self.c.message("d", unescape(text))

    def do_done(self):
        self.c.message("c", b"")

    def do_fail(self, text=""):
        self.c.message("f", unescape(text) + b"\0")

    def do_terminate(self):
        self.c.message("X", b"")

    def play(self, lines):
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                self.say(line)
                continue
            word, _, rest = line.partition(" ")
            arguments = [a.strip() for a in re.split(r"(?:^|(?<= ))[|](?= |$)", rest)] if rest else []
            self.say("> " + line)
            try:
                getattr(self, "do_" + word)(*arguments)
            except OSError as e:
                self.say(f"  {type(e).__name__}")
            self.out.flush()


if __name__ == "__main__":
    with open(sys.argv[1]) as script:
        Player(sys.stdout).play(script)
