#!/bin/sh
# make-secret.sh [ha]: prints what the Secret `perch-secrets` holds, with new passwords, one NAME=value a line, for
# kubectl create secret generic perch-secrets --from-env-file=/dev/stdin. With `ha` its addresses are those of infra/k8s-ha.
set -eu

random() {
  openssl rand -hex 24
}

service_database=$(random)
redis=$(random)
postgres=postgres:5432/perch
redis_url=redis://:$redis@redis:6379
if [ "${1:-}" = ha ]; then
  postgres=postgres-rw:5432/perch?target_session_attrs=read-write
  sentinels=redis-sentinel-0.redis-sentinel:26379,redis-sentinel-1.redis-sentinel:26379,redis-sentinel-2.redis-sentinel:26379
  redis_url="redis+sentinel://:$redis@$sentinels/perch?sentinelPassword=$redis"
fi
cat <<EOF
COOKIE_SECRET=$(random)
ADMIN_PASSWORD=$(random)
POSTGRES_PASSWORD=$(random)
SERVICE_DATABASE_PASSWORD=$service_database
PG_URL=postgres://perch_service:$service_database@$postgres
REDIS_PASSWORD=$redis
REDIS_URL=$redis_url
MINIO_ROOT_USER=minio-root
MINIO_ROOT_PASSWORD=$(random)
S3_ACCESS_KEY=perch
S3_SECRET_KEY=$(random)
EOF

# Its server wants passwords to begin with a letter.
for name in gateway content kv site analytics; do
  upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
  password=n$(random)
  echo "NATS_${upper}_PASSWORD=$password"
  echo "NATS_URL_$upper=nats://$name:$password@nats-0.nats:4222,nats-1.nats:4222,nats-2.nats:4222"
done
