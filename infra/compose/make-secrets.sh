#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, in the folder `secrets` of the project or the one that is given.
# What is there stays as it is, so it may be run again; addresses follow the passwords in them.
set -eu
folder=${1:-$(dirname "$0")/../../secrets}

# The files are readable to all, as the containers' users have ids of their own; nobody else gets into the folder.
umask 022
mkdir -p "$folder"
chmod 700 "$folder"

# put <name>: standard input becomes a secret.
put() {
  cat > "$folder/$1.new"
  mv -f "$folder/$1.new" "$folder/$1"
  chmod 444 "$folder/$1"
}

# random <characters>, 60 at most: letters and digits, which mean nothing to shells, addresses and options.
random() {
  head -c 64 /dev/urandom | base64 | tr -d '+/=\n' | cut -c "1-$1" | tr -d '\n'
}

# secret <name> <characters>
secret() {
  [ -s "$folder/$1" ] || random "$2" | put "$1"
}

# As long as S3 has them.
secret s3-access-key 20
secret minio-root-user 20
for name in postgres-password service-database-password s3-secret-key minio-root-password redis-password cookie-secret \
  admin-password grafana-admin-password grafana-database-password; do
  secret "$name" 40
done

# One user of NATS for each service. Its server wants passwords to begin with a letter.
for name in gateway content kv site analytics; do
  [ -s "$folder/nats-url-$name" ] || printf 'nats://%s:n%s@nats:4222' "$name" "$(random 40)" | put "nats-url-$name"
  password=$(sed 's/.*:\(.*\)@.*/\1/' "$folder/nats-url-$name")
  printf 'NATS_%s_PASSWORD=%s\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$password"
done | put nats-passwords

printf 'postgres://perch_service:%s@postgres:5432/perch' "$(cat "$folder/service-database-password")" | put pg-url
printf 'redis://:%s@redis:6379' "$(cat "$folder/redis-password")" | put redis-url
