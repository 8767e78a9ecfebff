#!/bin/sh
# distroless.sh <folder>: a root with the C library, certificates, time zones and a user, and without a shell.
set -eu
into=$1
mkdir -p "$into"
{ dpkg -L base-files netbase tzdata media-types libc6; echo /etc/ssl/certs/ca-certificates.crt; } |
  grep -vE '^/usr/share/(doc|man|locale)' | sort -u |
  while read -r file; do [ ! -e "$file" ] || echo ".$file"; done > /tmp/files
tar -C / --no-recursion -cT /tmp/files | tar -C "$into" -x
mkdir -p "$into/etc" "$into/home/nonroot" "$into/tmp"
echo nonroot:x:65532:65532::/home/nonroot:/sbin/nologin > "$into/etc/passwd"
echo nonroot:x:65532: > "$into/etc/group"
chmod 1777 "$into/tmp"
chown 65532 "$into/home/nonroot"
