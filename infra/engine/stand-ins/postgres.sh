#!/bin/sh
# As the image's own: makes the database of an empty volume, then becomes the command.
set -eu
if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -U "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth-local trust --auth-host scram-sha-256 -D "$PGDATA"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  echo "create database \"$POSTGRES_DB\"" | postgres --single -D "$PGDATA" postgres
fi
exec "$@"
