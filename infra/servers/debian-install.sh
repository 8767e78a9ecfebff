#!/bin/sh
# Installs Debian packages without starting their daemons: debian-install.sh <package>...
# Callers take turns, so the second finds the work of the first done.
set -eu
export DEBIAN_FRONTEND=noninteractive
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

mkdir -p /run/lock
exec 9>/run/lock/perch-install.lock
flock -w 1800 9

missing=
for package in "$@"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# Package scripts ask this file whether they may start a daemon; 101 means no. One that is there already is the
# machine's own and stays; one with our mark was left by a run that was killed.
policy=/usr/sbin/policy-rc.d
mark='# perch: installed for tests, daemons stay off'
restore() {
  if grep -qsF "$mark" "$policy"; then rm -f "$policy"; fi
}
trap restore EXIT
trap 'exit 1' HUP INT TERM
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy.perch"
  chmod 755 "$policy.perch"
  mv "$policy.perch" "$policy"
fi

# `update` fails at once while another apt-get holds the lists, only `install` can wait for its lock.
attempt=0
until apt-get -qq update; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 12 ] || break
  sleep 5
done
# The lock is ours alone: a process that a package script left behind must not hold it on.
# shellcheck disable=SC2086
apt-get -qq install -y --no-install-recommends -o DPkg::Lock::Timeout=120 $missing 9>&-
