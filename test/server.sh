# Sourced by the suites: a server of their own in a new directory.
#   start_server [POSTGRES-OPTION …]   sets PGHOST, PGPORT, PGUSER; the directory is $server/data
#   stop_server [MODE]
# Needs HATHI_BUILD (a build folder). HATHI_REPORTS: a folder where the server's log is to stay.
# Root starts it as the user "hathi".
set -uo pipefail
: "${HATHI_BUILD:?set HATHI_BUILD to a build folder}"
server=$(mktemp -d /tmp/hathi-test.XXXXXX)
mkdir "$server/bin"
cp "$HATHI_BUILD"/src/bin/postgres "$HATHI_BUILD"/src/bin/initdb "$HATHI_BUILD"/src/bin/pg_ctl "$server/bin/"
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
  id hathi >/dev/null 2>&1 || useradd --system --create-home hathi
  chown -R hathi "$server"
  as_user() { setpriv --reuid hathi --regid "$(id -g hathi)" --clear-groups env HOME=/tmp "$@"; }
fi
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export PGHOST=$server PGUSER=postgres PGDATABASE=postgres PGPORT
PGPORT=$(free_port)
make_cluster() { as_user "$server/bin/initdb" -D "$server/data" -U postgres -A trust --no-locale -N >"$server/initdb.log" 2>&1 || { cat "$server/initdb.log"; return 1; }; }
start_server() {
  [ -d "$server/data" ] || make_cluster || return 1
  as_user "$server/bin/pg_ctl" -D "$server/data" -w -t 60 -l "$server/log" -o "-p $PGPORT -k $server -c listen_addresses='' $*" start >"$server/start.log" 2>&1 ||
    { cat "$server/start.log" "$server/log"; return 1; }
}
stop_server() { as_user "$server/bin/pg_ctl" -D "$server/data" -m "${1:-fast}" -w stop >/dev/null 2>&1; }
finish() { stop_server immediate; [ -z "${HATHI_REPORTS:-}" ] || cp "$server/log" "$HATHI_REPORTS/server-log.$$"; [ -n "${KEEP:-}" ] || rm -rf "$server"; }
trap finish EXIT
