#!/usr/bin/python3
"""power-disk.py: a file system that forgets at a power cut what was not synced, for tests.

It is in memory and shows what was written at once, as a disk with a cache does. A file's bytes are
safe when the file has been synced, names when their directory has been, and the time of a file's
last change only by fsync, not by fdatasync. Nothing stays in the kernel's cache.

Needs   fusepy (Debian: python3-fusepy), and root or fusermount
Usage   power-disk.py, with lines on its standard input:
        mount DIRECTORY         first; answered by `ready`
        cut SEED                from now on each call fails with EIO; what was not synced is gone,
                                or a part of it; answered by `cut`, with what of it is kept
        on                      there is power again; answered by `on`
        wipe                    there is nothing on it any more; answered by `wipe`
        lie                     syncs succeed from now on and do nothing; answered by `lie`
        At the end of the input it unmounts and ends.
Exit    0 at the end of the input · 69 there is no FUSE
"""

import os
import random
import stat
import subprocess
import sys
import threading
import time
from errno import EEXIST, EIO, EISDIR, ENOENT, ENOTDIR, ENOTEMPTY, EXDEV

try:
    from fusepy import FUSE, FuseOSError, Operations
except ImportError:
    try:
        from fuse import FUSE, FuseOSError, Operations
    except ImportError:
        sys.exit(69)  # EX_UNAVAILABLE of sysexits.h

BLOCK = 4096
SECTOR = 512


class Node:
    """What has a mode, contents, and changes that are not synced."""

    def __init__(self, mode, contents):
        self.mode = mode
        self.now, self.synced = contents, type(contents)()
        self.time = self.synced_time = time.time_ns()
        self.changes = []

    def change(self, change):
        self.changes.append(change)
        self.apply(change, self.now)
        self.time = time.time_ns()

    def sync(self, is_data_only):
        for change in self.changes:
            self.apply(change, self.synced)
        self.changes = []
        if not is_data_only:
            self.synced_time = self.time

    def cut(self, loss, draws):
        """Loses changes: all, the last ones, or any; returns how many are kept."""
        changes = self.changes if loss != "all" else []
        if loss == "tail":
            changes = changes[: draws.randint(0, len(changes))]
        if loss == "some":
            changes = [change for change in changes if draws.random() < 0.5]
        for index, change in enumerate(changes):
            is_last = index + 1 == len(changes)
            self.apply(self.torn(change, is_last, draws), self.synced)
        if len(changes) < len(self.changes):
            self.time = self.synced_time
        self.now, self.changes = self.synced.copy(), []
        return len(changes)


class File(Node):
    """Changes are (place, bytes), or (size, None) for a new size."""

    def apply(self, change, contents):
        place, data = change
        end = place if data is None else place + len(data)
        if end > len(contents):
            contents.extend(bytes(end - len(contents)))
        if data is None:
            del contents[place:]
        else:
            contents[place:end] = data

    def torn(self, change, is_last, draws):
        """Of the last write, and of a few others, there may be a part."""
        place, data = change
        if data is None or not is_last and draws.random() < 0.9:
            return change
        unit = draws.choice([1, SECTOR])
        return place, data[: draws.randint(0, len(data) // unit) * unit]


class Directory(Node):
    """Changes are names with their new nodes, or with None; those of a rename are one change."""

    def apply(self, change, contents):
        for name, node in change.items():
            contents.pop(name, None)
            if node is not None:
                contents[name] = node

    def torn(self, change, is_last, draws):
        return change


class Disk(Operations):
    def __init__(self):
        self.turn = threading.Lock()
        self.is_off = self.lies = False
        self.newest = 0
        self.wipe()

    def wipe(self):
        with self.turn:
            self.root = Directory(stat.S_IFDIR | 0o700, {})
            self.open_files = {}

    def __call__(self, name, *arguments):
        with self.turn:
            if self.is_off and name not in ("init", "destroy"):
                raise FuseOSError(EIO)
            return super().__call__(name, *arguments)

    def cut(self, seed):
        draws = random.Random(seed)
        with self.turn:
            self.is_off = True
            loss = draws.choice(["all", "tail", "some"])
            self.open_files = {}
            kept = of = 0
            rest = [self.root]
            while rest:
                node = rest.pop()
                of += len(node.changes)
                kept += node.cut(loss, draws)
                if isinstance(node, Directory):
                    rest += set(node.now.values())
            return f"{kept} of {of} changes kept"

    def turn_on(self):
        with self.turn:
            self.is_off = False

    # Paths

    def init(self, path):
        print("ready", flush=True)

    def find(self, path):
        node = self.root
        for name in path.split("/")[1:]:
            if not name:
                continue
            if not isinstance(node, Directory):
                raise FuseOSError(ENOTDIR)
            node = node.now.get(name)
            if node is None:
                raise FuseOSError(ENOENT)
        return node

    def parent(self, path):
        directory, _, name = path.rpartition("/")
        return self.find(directory), name

    def file(self, path, handle):
        node = self.find(path) if handle is None else self.open_files.get(handle)
        if node is None:
            raise FuseOSError(EIO)
        if isinstance(node, Directory):
            raise FuseOSError(EISDIR)
        return node

    # Names

    def add(self, path, node):
        directory, name = self.parent(path)
        if name in directory.now:
            raise FuseOSError(EEXIST)
        directory.change({name: node})
        return node

    def mkdir(self, path, mode):
        self.add(path, Directory(stat.S_IFDIR | mode, {}))

    def create(self, path, mode, info=None):
        return self.opened(self.add(path, File(stat.S_IFREG | mode, bytearray())))

    def link(self, target, source):
        self.add(target, self.find(source))

    def unlink(self, path):
        directory, name = self.parent(path)
        self.find(path)
        directory.change({name: None})

    def rmdir(self, path):
        if self.find(path).now:
            raise FuseOSError(ENOTEMPTY)
        self.unlink(path)

    def rename(self, old, new):
        (directory, name), (target, new_name) = self.parent(old), self.parent(new)
        if directory is not target:
            raise FuseOSError(EXDEV)
        directory.change({name: None, new_name: self.find(old)})

    def readdir(self, path, handle):
        return [".", "..", *self.find(path).now]

    def fsyncdir(self, path, is_data_only, handle):
        if not self.lies:
            self.find(path).sync(is_data_only)

    # Files

    def opened(self, node):
        self.newest += 1
        self.open_files[self.newest] = node
        return self.newest

    def open(self, path, flags):
        return self.opened(self.file(path, None))

    def release(self, path, handle):
        self.open_files.pop(handle, None)

    def read(self, path, size, offset, handle):
        return bytes(self.file(path, handle).now[offset : offset + size])

    def write(self, path, data, offset, handle):
        self.file(path, handle).change((offset, data))
        return len(data)

    def truncate(self, path, length, handle=None):
        self.file(path, handle).change((length, None))

    def fsync(self, path, is_data_only, handle):
        if not self.lies:
            self.file(path, handle).sync(is_data_only)

    # Attributes

    def getattr(self, path, handle=None):
        node = self.find(path) if handle is None else self.file(path, handle)
        size = len(node.now) if isinstance(node, File) else BLOCK
        times = dict.fromkeys(("st_atime", "st_mtime", "st_ctime"), node.time / 1e9)
        return {
            "st_mode": node.mode, "st_ino": id(node), "st_size": size, "st_nlink": 1,
            "st_blocks": -(-size // SECTOR), "st_uid": os.getuid(), "st_gid": os.getgid(),
        } | times

    def chmod(self, path, mode):
        node = self.find(path)
        node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)

    def utimens(self, path, times=None):
        self.find(path).time = int(times[1] * 1e9) if times else time.time_ns()

    def statfs(self, path):
        free = 1 << 18
        return {"f_bsize": BLOCK, "f_frsize": BLOCK, "f_blocks": free, "f_bfree": free,
                "f_bavail": free, "f_namemax": 255}


def main():
    words = sys.stdin.readline().split()
    if len(words) != 2 or words[0] != "mount" or not os.path.exists("/dev/fuse"):
        sys.exit(69)
    disk, directory = Disk(), words[1]

    def obey():
        for line in sys.stdin:
            match line.split():
                case ["cut", seed]:
                    print("cut", disk.cut(int(seed)), flush=True)
                case ["on"]:
                    disk.turn_on()
                    print("on", flush=True)
                case ["wipe"]:
                    disk.wipe()
                    print("wipe", flush=True)
                case ["lie"]:
                    disk.lies = True
                    print("lie", flush=True)
        unmount = ["umount", "-l"] if os.getuid() == 0 else ["fusermount", "-uz"]
        subprocess.run([*unmount, directory], check=False)
        os._exit(0)  # Whoever still has a file open has none any more.

    threading.Thread(target=obey, daemon=True).start()
    # Nothing is cached, so that nothing survives in the kernel what does not survive here.
    FUSE(
        disk, directory, foreground=True, nothreads=True, direct_io=True, use_ino=True,
        big_writes=True, attr_timeout=0, entry_timeout=0, ac_attr_timeout=0,
    )


main()
