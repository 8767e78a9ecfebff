#!/bin/sh
# run.sh <tree> <data> <work> [folder]...: a Docker engine in namespaces of its own, from the Debian tree; images and volumes lie in
# <data>, the folders are seen inside under their names. Writes the process that is the first of them to <work>/pid. Nothing
# outside sees it, and all of it ends with this process. slirp4netns leads outside without a right on this machine's network.
set -eu
work=$3
setpriv --pdeathsig KILL unshare --mount --net --pid --ipc --uts --fork --kill-child=SIGKILL \
  sh "$(dirname "$0")/inside.sh" "$@" &
outer=$!
until first=$(pgrep -P "$outer"); do sleep 0.1; done
echo "$first" > "$work/pid"
setpriv --pdeathsig KILL slirp4netns --configure --mtu=1400 --disable-host-loopback --api-socket "$work/network.sock" "$first" tap0 &
wait "$outer"
