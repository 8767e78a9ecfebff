#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, in the folder `secrets` of the project or the one that is given.
# What is there stays as it is, so it may be run again.
set -eu
folder=${1:-$(dirname "$0")/../../secrets}

# The files are readable to all, as the containers' users have ids of their own; nobody else gets into the folder.
umask 022
mkdir -p "$folder"
chmod 700 "$folder"

# secret <name> <characters>
secret() {
  [ -s "$folder/$1" ] && return
  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | cut -c "1-$2" | tr -d '\n' > "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
  chmod 444 "$folder/$1"
}

# As long as S3 has them.
secret s3-access-key 20
for name in postgres-password s3-secret-key cookie-secret admin-password grafana-admin-password grafana-database-password; do
  secret "$name" 40
done

rm -f "$folder/pg-url"
printf 'postgres://perch:%s@postgres:5432/perch' "$(cat "$folder/postgres-password")" > "$folder/pg-url"
chmod 444 "$folder/pg-url"
