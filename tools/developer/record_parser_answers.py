#!/usr/bin/env python3
"""Records what a stock PostgreSQL 15 says to every statement of test/unit/parser/corpus/*.sql, into *.expected beside them.

Each statement is sent in a transaction that has failed: the server then reports errors of its grammar as usual, and 25P02 for
everything its grammar accepts. Uses libpq.so.5 through ctypes.
usage: record_parser_answers.py "host=/tmp port=5432 user=postgres dbname=postgres"
"""
import ctypes, pathlib, sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
pq = ctypes.CDLL("libpq.so.5")
for name in ("PQconnectdb", "PQexec", "PQfinish"):
    getattr(pq, name).restype = ctypes.c_void_p
pq.PQresultErrorField.restype = ctypes.c_char_p
pq.PQerrorMessage.restype = ctypes.c_char_p
CODE, MESSAGE, POSITION, HINT, DETAIL = map(ord, "CMPHD")
IN_ERROR = 3


class Server:
    def __init__(self, where):
        self.where = where
        self.connect()

    def connect(self):
        self.connection = ctypes.c_void_p(pq.PQconnectdb(self.where.encode()))
        if pq.PQstatus(self.connection) != 0:
            sys.exit(pq.PQerrorMessage(self.connection).decode())
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda _, __: None)
        pq.PQsetNoticeProcessor(self.connection, self.quiet, None)
        pq.PQexec(self.connection, b"begin; select 1/0")

    def answer(self, statement):
        if pq.PQtransactionStatus(self.connection) != IN_ERROR:
            pq.PQfinish(self.connection)
            self.connect()
        result = ctypes.c_void_p(pq.PQexec(self.connection, statement.encode()))
        field = lambda f: (pq.PQresultErrorField(result, f) or b"").decode()
        # 25P02: in a failed transaction; 3B001, 25P01: ROLLBACK TO and SAVEPOINT were really executed.
        if field(CODE) in ("", "25P02", "3B001", "25P01"):
            return "ok"
        return "\t".join(field(f) for f in (CODE, POSITION, MESSAGE, HINT, DETAIL)).replace("\n", "⏎")


server = Server(sys.argv[1])
for path in sorted((root / "test/unit/parser/corpus").glob("*.sql")):
    answers = [server.answer(line.replace("⏎", "\n")) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    path.with_suffix(".expected").write_text("\n".join(answers) + "\n")
    print(f"{path.name}: {len(answers)} statements")
