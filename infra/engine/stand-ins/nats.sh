#!/bin/sh
case $1 in -*) set -- nats-server "$@" ;; esac
exec "$@"
