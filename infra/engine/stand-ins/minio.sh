#!/bin/sh
exec minio "$@"
