#!/bin/sh
# redis-member.sh [arguments of redis-server]: one of several Redis servers of which sentinels choose the primary. REDIS_HOSTS
# has all of their names, its own HOST among them; the first one begins as the primary. SENTINEL_HOSTS has those of the
# sentinels; each kind listens on one port everywhere. CONF is the file of settings, DATA the folder of its volume, where
# Redis keeps in replication.conf whom it follows.
set -eu
file=$DATA/replication.conf

# An empty volume may be that of a server that is not the first any more: the sentinels know who is.
known_primary() {
  for sentinel in $SENTINEL_HOSTS; do
    found=$(REDISCLI_AUTH="$REDIS_PASSWORD" timeout 3 redis-cli -h "$sentinel" -p "$SENTINEL_PORT" \
      sentinel get-master-addr-by-name perch 2>/dev/null | head -n 1) || true
    case " $REDIS_HOSTS " in
      *" ${found:-none} "*)
        echo "$found"
        return
        ;;
    esac
  done
  echo "${REDIS_HOSTS%% *}"
}

# Redis writes all that differs from its defaults into that file, passwords and settings of an earlier CONF among them. Of
# those only whom it follows is kept.
if [ -e "$file" ]; then
  follows=$(grep '^replicaof ' "$file") || true
else
  primary=$(known_primary)
  follows=$([ "$primary" = "$HOST" ] || echo "replicaof $primary $REDIS_PORT")
fi
printf 'include %s\n%s\n' "$CONF" "$follows" > "$file.new"
mv "$file.new" "$file"

exec redis-server "$file" --port "$REDIS_PORT" --dir "$DATA" --replica-announce-ip "$HOST" \
  --requirepass "$REDIS_PASSWORD" --masterauth "$REDIS_PASSWORD" "$@"
