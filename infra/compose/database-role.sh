#!/bin/sh
# database-role.sh <role>: makes or renews a database role as role.sql beside this file says, and gives it its password. The
# PG* variables say where; *_FILE name files with passwords.
set -eu
PGPASSWORD=$(cat "$PGPASSWORD_FILE")
export PGPASSWORD

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file "$(dirname "$0")/role.sql"
# By standard input: a command line is there for all to see.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<SQL
alter role $1 password '$(cat "$ROLE_PASSWORD_FILE")';
SQL
