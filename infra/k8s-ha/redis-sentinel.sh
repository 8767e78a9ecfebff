#!/bin/sh
# redis-sentinel.sh [arguments of redis-server]: one of three sentinels. HOST is its name, REDIS_HOSTS has those of the Redis
# servers, of which the first one begins as the primary; DATA is the folder of its volume, where it keeps what it learns. The
# password in that file is renewed at each start; the line of a user would count more than it.
set -eu
file=$DATA/sentinel.conf

if [ ! -e "$file" ]; then
  cat > "$file.new" <<CONF
port $SENTINEL_PORT
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $HOST
sentinel monitor perch ${REDIS_HOSTS%% *} $REDIS_PORT 2
sentinel down-after-milliseconds perch 3000
sentinel failover-timeout perch 10000
CONF
  mv "$file.new" "$file"
fi

{
  grep -v -e '^requirepass ' -e '^user default ' -e '^sentinel auth-pass ' "$file"
  echo "requirepass \"$REDIS_PASSWORD\""
  echo "sentinel auth-pass perch $REDIS_PASSWORD"
} > "$file.new"
mv "$file.new" "$file"

exec redis-server "$file" --sentinel --dir "$DATA" "$@"
