#!/bin/sh
# Insists on what Grafana would be given, and that its volume can be written to.
set -eu
test -n "$GF_SECURITY_ADMIN_PASSWORD__FILE"
test -n "$PERCH_PG_PASSWORD"
touch /var/lib/grafana/started
mkdir -p /tmp/site/api
echo '{}' > /tmp/site/api/health
exec busybox httpd -f -p 3000 -h /tmp/site
