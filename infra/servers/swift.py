"""Runs one small Swift cluster: swift.py <folder>

The folder holds swift.conf, ports.json and <kind>-server.conf; the data goes to <folder>/data. Swift's own programs
would import the same modules four times over and need nine runs of swift-ring-builder; here one process imports
them once, writes the rings, and forks the four servers, which share its memory.
"""

import ctypes
import gc
import json
import logging
import os
import signal
import sys

# Only loopback addresses are ever resolved; eventlet's own resolver is half of the import time.
os.environ["EVENTLET_NO_GREENDNS"] = "yes"

from swift.common import utils  # noqa: E402

KINDS = ("account", "container", "object")
PR_SET_PDEATHSIG = 1


def fail(message):
    sys.exit(f"swift: {message}")


def require_xattrs(folder):
    """Swift keeps an object's metadata in the extended attributes of its file."""
    try:
        os.setxattr(folder, "user.swift.check", b"1")
    except OSError as error:
        fail(
            f"the filesystem of {folder} has no extended user attributes ({error.strerror}). "
            "Swift needs them: use a folder on ext4, xfs or btrfs."
        )


def write_rings(folder, ports):
    """One replica on one device: where an object lies never changes, so the rings can be made anew each time."""
    from swift.common.ring import RingBuilder

    for kind in KINDS:
        builder = RingBuilder(6, 1, 0)
        address = {"ip": "127.0.0.1", "port": ports[kind]}
        replication = {"replication_ip": address["ip"], "replication_port": address["port"]}
        builder.add_dev({"region": 1, "zone": 1, "weight": 1, "device": "d1", **address, **replication})
        builder.rebalance()
        builder.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))


def log_to_stderr():
    """Swift logs to syslog alone and closes its standard error; the log belongs to this folder's file."""
    stream = os.fdopen(os.dup(2), "w", buffering=1)
    utils.ThreadSafeSysLogHandler = lambda **_options: logging.StreamHandler(stream)


def start_child(run):
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            status = run() or 0
    finally:
        os._exit(status)


def serve(folder, kind):
    from swift.common.wsgi import run_wsgi

    return run_wsgi(os.path.join(folder, f"{kind}-server.conf"), f"{kind}-server")


def run_memcached(command):
    os.execv(command[0], command)


def preload():
    """What every server will import; paste finds the apps by name, too late to be shared."""
    import swift.account.server
    import swift.common.middleware.s3api.s3api
    import swift.container.server
    import swift.obj.server
    import swift.proxy.server  # noqa: F401

    gc.collect()
    gc.freeze()


def main(folder):
    with open(os.path.join(folder, "ports.json"), encoding="utf-8") as file:
        settings = json.load(file)
    device = os.path.join(folder, "data", "d1")
    os.makedirs(device, exist_ok=True)
    require_xattrs(device)
    log_to_stderr()
    utils.set_swift_dir(folder)
    children = [start_child(lambda: run_memcached(settings["memcached"]))]
    preload()
    write_rings(folder, settings["ports"])
    children += [start_child(lambda kind=kind: serve(folder, kind)) for kind in (*KINDS, "proxy")]

    def end_all(*_signal):
        # Without workers Swift's servers have no graceful end; what they acknowledged is on disk.
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass

    signal.signal(signal.SIGTERM, end_all)
    # They only end when told to; one that ends by itself takes the others along, for all to see.
    children.remove(os.wait()[0])
    end_all()
    while children:
        children.remove(os.wait()[0])


main(os.path.abspath(sys.argv[1]))
