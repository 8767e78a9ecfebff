#!/bin/sh
# Makes or renews the database role that Grafana reads with. The PG* variables say where; *_FILE name files with passwords.
set -eu
PGPASSWORD=$(cat "$PGPASSWORD_FILE")
export PGPASSWORD

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file "$(dirname "$0")/reader.sql"
# By standard input: a command line is there for all to see.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<SQL
alter role perch_grafana password '$(cat "$ROLE_PASSWORD_FILE")';
SQL
