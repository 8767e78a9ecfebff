#!/bin/sh
# The first process of the namespaces: makes the tree the root, and becomes the engine.
set -eu
tree=$1 data=$2 work=$3
shift 3
mount --make-rprivate /
mount --bind "$tree" "$tree"
cd "$tree"
mount -t proc proc proc
mount -t sysfs sysfs sys
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount --rbind /sys/fs/cgroup sys/fs/cgroup
else
  mount -t tmpfs cgroup sys/fs/cgroup
  for path in /sys/fs/cgroup/*/; do
    name=$(basename "$path")
    [ "$name" = unified ] && continue
    mkdir "sys/fs/cgroup/$name"
    mount --bind "/sys/fs/cgroup/$name" "sys/fs/cgroup/$name"
  done
fi
mount --rbind /dev dev
mount -t tmpfs -o mode=755 run run
mount -t tmpfs tmp tmp
mkdir -p var/lib/docker
mount --bind "$data" var/lib/docker
for folder; do
  mkdir -p ".$folder"
  mount --bind "$folder" ".$folder"
done
mkdir -p old
pivot_root . old
umount -l /old
ip link set lo up
hostname engine
# The name server that slirp4netns has.
echo nameserver 10.0.2.3 > /etc/resolv.conf
until ip link show tap0 > /dev/null 2>&1; do sleep 0.1; done
exec dockerd --storage-driver overlay2 --cgroup-parent "/$(basename "$work")" --exec-opt native.cgroupdriver=cgroupfs
