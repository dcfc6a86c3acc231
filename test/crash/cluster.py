"""A server under test, and a small client of the v3 protocol that remembers what it was told."""
import glob, os, pathlib, random, shutil, signal, socket, struct, subprocess, tempfile, time

BUILD = os.environ["HATHI_BUILD"]
UNTIL = float(os.environ.get("CRASH_UNTIL", "inf"))
STOP = os.environ.get("CRASH_STOP", "")
PROGRESS = os.environ.get("CRASH_PROGRESS", "")


def time_is_over():
    """Nothing new is to begin."""
    return time.time() >= UNTIL or (STOP != "" and os.path.exists(STOP))


def note_progress(count=1):
    """A byte for each kill or page that is done, for who watches."""
    if PROGRESS:
        with open(PROGRESS, "ab") as f:
            f.write(b"." * count)


class Lost(Exception):
    """The connection is gone; what was sent last may have happened or not."""


class SqlError(Exception):
    def __init__(self, fields):
        self.code, self.message = fields.get("C", ""), fields.get("M", "")
        super().__init__(f"{self.code}: {self.message}")


class Client:
    def __init__(self, cluster, database="postgres", timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.buffer = b""
        try:
            self.socket.connect(f"{cluster.directory}/.s.PGSQL.{cluster.port}")
            body = struct.pack("!I", 196608) + b"user\0postgres\0database\0" + database.encode() + b"\0\0"
            self.socket.sendall(struct.pack("!I", len(body) + 4) + body)
        except OSError as e:
            raise Lost(str(e))
        self.answer()

    def message(self):
        while len(self.buffer) < 5 or len(self.buffer) < 1 + struct.unpack("!I", self.buffer[1:5])[0]:
            try:
                part = self.socket.recv(65536)
            except OSError as e:
                raise Lost(str(e))
            if not part:
                raise Lost("closed")
            self.buffer += part
        length = struct.unpack("!I", self.buffer[1:5])[0]
        kind, body = self.buffer[:1], self.buffer[5:1 + length]
        self.buffer = self.buffer[1 + length:]
        return kind, body

    def answer(self):
        rows, error = [], None
        while True:
            kind, body = self.message()
            if kind == b"D":
                row, at = [], 2
                for _ in range(struct.unpack("!H", body[:2])[0]):
                    size = struct.unpack("!i", body[at:at + 4])[0]
                    at += 4
                    row.append(None if size < 0 else body[at:at + size].decode("utf-8", "replace"))
                    at += max(size, 0)
                rows.append(row)
            elif kind == b"E":
                fields = {f[:1].decode(): f[1:].decode("utf-8", "replace") for f in body.split(b"\0") if f}
                error = SqlError(fields)
                if fields.get("S") in ("FATAL", "PANIC"):
                    raise Lost(str(error))
            elif kind == b"K":
                self.pid = struct.unpack("!I", body[:4])[0]
            elif kind == b"Z":
                if error:
                    raise error
                return rows

    def query(self, sql):
        try:
            body = sql.encode() + b"\0"
            self.socket.sendall(b"Q" + struct.pack("!I", len(body) + 4) + body)
        except OSError as e:
            raise Lost(str(e))
        return self.answer()

    def value(self, sql):
        rows = self.query(sql)
        return rows[0][0] if rows else None

    def close(self):
        self.socket.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    def __init__(self, settings=(), directory=None):
        self.directory = directory or tempfile.mkdtemp(prefix="hathi-crash.", dir=os.environ.get("CRASH_DIR", "/tmp"))
        self.data = self.directory + "/data"
        self.log = self.directory + "/log"
        self.port = free_port()
        self.settings = list(settings)
        self.prefix = []
        self.postmasters = set()      # of all lives
        os.makedirs(self.directory + "/bin", exist_ok=True)
        for name in ("postgres", "initdb", "pg_ctl"):
            shutil.copy(f"{BUILD}/src/bin/{name}", self.directory + "/bin/")
        if os.getuid() == 0:
            if subprocess.run(["id", "hathi"], capture_output=True).returncode != 0:
                subprocess.run(["useradd", "--system", "--create-home", "hathi"], check=True)
            subprocess.run(["chown", "-R", "hathi", self.directory], check=True)
            group = subprocess.run(["id", "-g", "hathi"], capture_output=True, text=True).stdout.strip()
            self.prefix = ["setpriv", "--reuid", "hathi", "--regid", group, "--clear-groups", "env", "HOME=/tmp"]

    def program(self, *arguments, **options):
        return subprocess.run(self.prefix + [f"{self.directory}/bin/{arguments[0]}", *arguments[1:]], capture_output=True, text=True, **options)

    def initdb(self):
        done = self.program("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-locale", "-N")
        if done.returncode != 0:
            raise RuntimeError("initdb: " + done.stdout + done.stderr)

    def start(self, wait=True):
        """Starts the server; seconds until it takes connections. RuntimeError when it does not."""
        options = f"-p {self.port} -k {self.directory} -c listen_addresses='' " + " ".join(f"-c {s}" for s in self.settings)
        begin = time.monotonic()
        if not wait:
            subprocess.Popen(self.prefix + [f"{self.directory}/bin/pg_ctl", "-D", self.data, "-W", "-l", self.log, "-o", options, "start"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).wait()
            return 0
        done = subprocess.run(self.prefix + [f"{self.directory}/bin/pg_ctl", "-D", self.data, "-W", "-l", self.log, "-o", options, "start"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError("pg_ctl start failed: " + self.log_tail())
        self.await_ready()
        return time.monotonic() - begin

    def await_ready(self, patience=60):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                client = Client(self)
                client.query("select 1")
                client.close()
                self.postmasters.add(self.postmaster())
                return
            except (Lost, SqlError):
                pid = self.postmaster()
                if pid is None and time.monotonic() > end - patience + 5:
                    break
                time.sleep(0.01)
        raise RuntimeError("the server does not come up: " + self.log_tail())

    def stop(self, mode="fast"):
        return self.program("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop").returncode == 0

    def log_tail(self, lines=15):
        try:
            return "".join(open(self.log, errors="replace").readlines()[-lines:])
        except OSError:
            return ""

    # --- processes ---
    def postmaster(self):
        try:
            pid = int(open(self.data + "/postmaster.pid").readline())
            return pid if is_alive(pid) else None
        except (OSError, ValueError):
            return None

    def children(self):
        """{pid: title} of the postmaster's children."""
        parent, found = self.postmaster(), {}
        if parent is None:
            return found
        out = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True).stdout
        for line in out.splitlines():
            pid, title = line.strip().split(None, 1)
            found[int(pid)] = title
        return found

    def child(self, words):
        return [pid for pid, title in self.children().items() if words in title]

    def kill_tree(self):
        parent = self.postmaster()
        if parent is None:
            return
        send(parent, signal.SIGSTOP)
        for pid in list(self.children()) + [parent]:
            send(pid, signal.SIGKILL)
        await_end([parent])

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def send(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def is_alive(pid):
    try:
        state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
        return state not in "ZX"
    except (OSError, IndexError):
        return False


def await_end(pids, patience=10):
    """Seconds until all are gone, or None."""
    begin = time.monotonic()
    while any(is_alive(p) for p in pids):
        if time.monotonic() - begin > patience:
            return None
        time.sleep(0.005)
    return time.monotonic() - begin


def shared_memory_segments(creators):
    """System V segments made by these processes."""
    out = subprocess.run(["ipcs", "-m", "-p"], capture_output=True, text=True).stdout
    return [line for line in out.splitlines() if len(line.split()) == 4 and line.split()[2].isdigit() and int(line.split()[2]) in creators]
