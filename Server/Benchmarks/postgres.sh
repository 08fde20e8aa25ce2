#!/usr/bin/env bash
# Starts a PostgreSQL of its own in a new folder, for measurements: it listens at a socket there, and waits for its disk.
#
#     Server/Benchmarks/postgres.sh start FOLDER      prints the address for --database
#     Server/Benchmarks/postgres.sh stop FOLDER
#
# PostgreSQL refuses to run as root, so root's script starts it as the user `nobody`.
set -euo pipefail

[[ $# == 2 && $1 =~ ^(start|stop)$ ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
folder=$2
programs=$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -1 | xargs -r dirname)
[[ -n $programs ]] || { echo "$0 needs PostgreSQL: scripts/install-dependencies.sh test" >&2; exit 69; }

as_user() {
    if ((EUID == 0)); then setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; else "$@"; fi
}

if [[ $1 == stop ]]; then
    as_user "$programs/pg_ctl" --pgdata="$folder/data" --mode=fast stop >/dev/null
    exit
fi
mkdir -p "$folder"
((EUID != 0)) || chown nobody "$folder"
as_user "$programs/initdb" --auth=trust --username=earshot --no-locale --encoding=UTF8 --pgdata="$folder/data" >/dev/null
cat >>"$folder/data/postgresql.conf" <<CONFIGURATION
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 200
shared_buffers = '1GB'
max_wal_size = '8GB'
CONFIGURATION
as_user "$programs/pg_ctl" --pgdata="$folder/data" --log="$folder/log" --wait start >/dev/null
echo "postgres://earshot@/postgres?host=$folder"
