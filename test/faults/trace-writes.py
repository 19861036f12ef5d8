"""Runs a program and says what it does to its files: python3 trace-writes.py FOLDER PROGRAM [ARGUMENT...]

Prints a line for each write, sync, truncation and removal of a file in FOLDER, in the order in which they are done, and
for each line that the program prints. Only its main thread is looked at, which is where SQLite runs. Linux, ptrace.

  write NAME OFFSET HEX | sync NAME | truncate NAME LENGTH | remove NAME | said TEXT
"""

import ctypes, os, platform, struct, sys

TRACEME, CONT_SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420E
TRACESYSGOOD, EXITKILL = 1, 0x100000
# By number, on each kind of processor.
CALLS = {
    "x86_64": {1: "write", 18: "pwrite", 74: "sync", 75: "sync", 77: "truncate", 87: "unlink", 263: "unlinkat", 20: "other", 296: "other", 328: "other"},
    "aarch64": {64: "write", 68: "pwrite", 82: "sync", 83: "sync", 46: "truncate", 35: "unlinkat", 66: "other", 70: "other", 287: "other"},
}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, address=0, data=0):
    result = libc.ptrace(request, pid, address, data)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def syscall_info(pid):
    """('entry', number, arguments) or ('exit', result)."""
    buffer = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, pid, 88, ctypes.addressof(buffer))
    if buffer.raw[0] == 1:
        return ("entry", *struct.unpack_from("=Q", buffer.raw, 24), struct.unpack_from("=6Q", buffer.raw, 32))
    return ("exit", *struct.unpack_from("=q", buffer.raw, 24))


def memory(pid, address, length):
    with open(f"/proc/{pid}/mem", "rb", 0) as file:
        file.seek(address)
        return file.read(length)


def name_of(pid, fd, folder):
    try:
        path = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        return None
    return os.path.basename(path) if os.path.dirname(path) == folder else None


def tell(pid, folder, call, args, result, removed):
    if call.startswith("unlink"):
        if removed and os.path.dirname(removed) == folder:
            print("remove", os.path.basename(removed))
        return
    if call == "write" and args[0] == 1:
        for line in memory(pid, args[1], result).decode().splitlines():
            print("said", line)
        return
    name = name_of(pid, args[0], folder)
    if name is None:
        return
    if call == "pwrite":
        print("write", name, args[3], memory(pid, args[1], result).hex())
    elif call == "sync":
        print("sync", name)
    elif call == "truncate":
        print("truncate", name, args[1])
    else:
        print("unknown", call, name)


def path_at(pid, call, args):
    address = args[0] if call == "unlink" else args[1]
    return memory(pid, address, 4096).split(b"\0")[0].decode() if call.startswith("unlink") else None


def trace(pid, folder):
    os.waitpid(pid, 0)
    ptrace(SETOPTIONS, pid, 0, TRACESYSGOOD | EXITKILL)
    pending, signal = None, 0
    while True:
        ptrace(CONT_SYSCALL, pid, 0, signal)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        signal = os.WSTOPSIG(status)
        if signal != 0x85:
            continue
        signal = 0
        info = syscall_info(pid)
        if info[0] == "entry":
            call = CALLS.get(info[1])
            pending = (call, info[2], path_at(pid, call, info[2])) if call else None
        elif pending and info[1] >= 0:
            call, args, removed = pending
            tell(pid, folder, call, args, info[1], removed)


folder, *program = sys.argv[1:]
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    ptrace(TRACEME, 0)
    os.execvp(program[0], program)
sys.exit(trace(child, os.path.realpath(folder)))
