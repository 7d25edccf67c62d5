/* napkin-keeper: holds one program for a session, whatever becomes of the worker that started it.
 *
 *     napkin-keeper BYTES ROWS COLUMNS PROGRAM [ARGUMENT...]
 *
 * Descriptor 3 is the empty file `output`, locked by the starter, and descriptor 4 its directory. The first process
 * exits as soon as the program runs, with 0, or with the errno that prevented it. The second one is the keeper: it
 * leaves the starter's session, copies the program's output to a ring in the file, and exits with the program. It
 * keeps the lock as long as it lives, and writes last how the program ended; a free lock without an end therefore
 * means that the keeper was killed. Readers watch the file (inotify) and never wake the keeper.
 *
 * Ownership  the program's group: what is left of it when the program has ended is killed. If the keeper dies, the
 *            kernel sends the program SIGHUP.
 * Invariant  output is never dropped before it is in the file: while the disk is full, the program waits.
 * Isolation  one thread that sleeps in poll(2) without a timeout, unless the disk is full or an end is due.
 * Source     pty(7), unix(7), flock(2), signalfd(2), PR_SET_PDEATHSIG(2const)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUT = 3,
    DIRECTORY = 4,
    /* Where the ring begins; the page before it is `struct header`. */
    RING = 4096,
    /* Bytes of one read. A reader of the file does without the oldest so many bytes of the ring, which may be
     * overwritten at that moment. */
    CHUNK = 64 << 10,
    /* Bytes of a message; senders split what is longer. */
    MESSAGE = 4096,
    /* Bytes that are read after the program's end, while others still write. Chosen: more than a pipe holds. */
    REST = 1 << 20,
    /* Milliseconds between two attempts to write to a full disk. Chosen: hardly a wait. */
    RETRY = 1000,
};

enum { RUNNING = 1, EXITED = 2, SIGNALLED = 3 };

/* The first page of the file, little-endian as every machine that Swift runs on. NapkinTransport's HeldProgram reads
 * it. */
struct header {
    char magic[8];
    uint64_t ring;
    /* Bytes that have been written so far, and the complement: if they disagree, the reader was too quick. */
    uint64_t end, not_end;
    uint32_t state, value;
    uint32_t program, keeper;
    /* The errno for which output waits; 0 if none does. */
    uint32_t waits, is_terminal;
    /* Milliseconds since 1970. */
    uint64_t began, ended;
    char boot[40];
    char command[1024];
};

static struct header header = {.magic = "NAPKEEP1"};
static char chunk[CHUNK], message[MESSAGE];
/* What is in `chunk` and not in the file yet; what is in `message` and not in the program's input yet. */
static size_t chunk_begin, chunk_end, message_begin, message_end;
static int from_program = -1, to_program = -1;

static int save_header(void) {
    return pwrite(OUTPUT, &header, sizeof header, 0) == sizeof header ? 0 : errno ? errno : ENOSPC;
}

/* Milliseconds. */
static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Writes what there is of `chunk`. Where the disk has no room, the rest stays there. */
static void save_chunk(void) {
    while (chunk_begin < chunk_end) {
        uint64_t place = header.end % header.ring;
        size_t count = chunk_end - chunk_begin;
        if (count > header.ring - place) count = header.ring - place;
        ssize_t done = pwrite(OUTPUT, chunk + chunk_begin, count, (off_t)(RING + place));
        if (done < 0 && errno == EINTR) continue;
        uint32_t waits = done > 0 ? 0 : done < 0 ? (uint32_t)errno : ENOSPC;
        if (done > 0) {
            chunk_begin += (size_t)done;
            header.end += (uint64_t)done;
            header.not_end = ~header.end;
        }
        if (done > 0 || waits != header.waits) {
            header.waits = waits;
            /* The page is there: it needs no room. */
            save_header();
        }
        if (done <= 0) return;
    }
    chunk_begin = chunk_end = 0;
}

/* Reads from the program. Returns whether there may be more. */
static int read_chunk(void) {
    ssize_t count = read(from_program, chunk, sizeof chunk);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
    if (count <= 0) {
        /* Never a terminal's, whose other side the keeper has open, too. */
        close(from_program);
        from_program = -1;
        return 0;
    }
    chunk_end = (size_t)count;
    save_chunk();
    return 1;
}

static void write_message(void) {
    ssize_t done = write(to_program, message + message_begin, message_end - message_begin);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
    /* A program that reads no more gets no more. */
    message_begin = done < 0 ? message_end : message_begin + (size_t)done;
    if (message_begin == message_end) message_begin = message_end = 0;
}

static void close_input(void) {
    if (header.is_terminal) {
        if (to_program >= 0 && write(to_program, "\4", 1) < 0) return;
    } else if (to_program >= 0) {
        close(to_program);
        to_program = -1;
    }
}

/* An empty message ends the input. */
static void take_input(int socket) {
    ssize_t count = recv(socket, message, sizeof message, MSG_TRUNC);
    if (count == 0) close_input();
    if (count <= 0 || (size_t)count > sizeof message || to_program < 0) return;
    message_end = (size_t)count;
    write_message();
}

/* Signals all of the program's session: a shell that has jobs gives each a group. The program's own group stops first
 * and goes on last, so that a shell does not see its jobs stop. */
static void signal_all(int number) {
    pid_t program = (pid_t)header.program, other;
    if (number != SIGCONT) kill(-program, number);
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));)
        if ((other = (pid_t)atoi(entry->d_name)) > 0 && getsid(other) == program && getpgid(other) != program)
            kill(other, number);
    if (processes) closedir(processes);
    if (number == SIGCONT) kill(-program, number);
}

/* Takes one order: `s` and a signal; `w`, rows and columns; `e` and the milliseconds until SIGKILL. */
static void take_order(int socket, uint64_t *due) {
    unsigned char order[8];
    ssize_t count = recv(socket, order, sizeof order, MSG_TRUNC);
    uint16_t size[2];
    uint32_t grace;
    if (count == 2 && order[0] == 's') {
        signal_all(order[1]);
    } else if (count == 5 && order[0] == 'w' && header.is_terminal) {
        memcpy(size, order + 1, sizeof size);
        struct winsize window = {.ws_row = size[0], .ws_col = size[1]};
        ioctl(from_program, TIOCSWINSZ, &window);
    } else if (count == 5 && order[0] == 'e') {
        memcpy(&grace, order + 1, sizeof grace);
        signal_all(SIGTERM);
        signal_all(SIGCONT);
        *due = now(CLOCK_MONOTONIC) + grace;
    }
}

/* Binds a socket in the directory, however long its path is. */
static int bound(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", DIRECTORY, name);
    int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return bind(socket_, (struct sockaddr *)&address, sizeof address) == 0 ? socket_ : -1;
}

/* The program's own side of the fork. */
static void become(char **arguments, const char *terminal, int input, int output, int failed, pid_t keeper) {
    setsid();
    /* The first terminal that the leader of a session opens is its own. */
    if (terminal) input = output = open(terminal, O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGHUP);
    if (getppid() != keeper) _exit(127);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2) {
        if (terminal) close(input);
        execvp(arguments[0], arguments);
    }
    int reason = errno;
    if (write(failed, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
}

/* Starts the program. Returns 0 or an errno. */
static int start(char **arguments, unsigned short rows, unsigned short columns) {
    int input[2] = {-1, -1}, output[2] = {-1, -1}, failed[2];
    char terminal[64];
    if (pipe2(failed, O_CLOEXEC) != 0) return errno;
    if (rows) {
        struct winsize window = {.ws_row = rows, .ws_col = columns};
        from_program = to_program = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (from_program < 0 || grantpt(from_program) != 0 || unlockpt(from_program) != 0) return errno;
        if (ptsname_r(from_program, terminal, sizeof terminal) != 0) return errno;
        /* Stays open: a program that closes its terminal for a while, or lets go of it, is not hung up. */
        if (open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC) < 0) return errno;
        ioctl(from_program, TIOCSWINSZ, &window);
    } else {
        if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return errno;
        from_program = output[0];
        to_program = input[1];
    }
    fcntl(from_program, F_SETFL, O_NONBLOCK);
    fcntl(to_program, F_SETFL, O_NONBLOCK);
    pid_t keeper = getpid(), program = fork();
    if (program < 0) return errno;
    if (program == 0) become(arguments, rows ? terminal : NULL, input[0], output[1], failed[1], keeper);
    close(failed[1]);
    if (!rows) {
        close(input[0]);
        close(output[1]);
    }
    int reason = 0;
    while (read(failed[0], &reason, sizeof reason) < 0 && errno == EINTR) continue;
    close(failed[0]);
    header.program = (uint32_t)program;
    return reason;
}

/* Returns whether the program has ended. What is left of its group is killed before its number is free. */
static int has_ended(int signals) {
    struct signalfd_siginfo ignored;
    while (read(signals, &ignored, sizeof ignored) > 0) continue;
    siginfo_t end = {0};
    if (waitid(P_PID, header.program, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0) return 0;
    kill(-(pid_t)header.program, SIGKILL);
    waitpid((pid_t)header.program, NULL, 0);
    header.state = end.si_code == CLD_EXITED ? EXITED : SIGNALLED;
    header.value = (uint32_t)end.si_status;
    header.ended = now(CLOCK_REALTIME);
    return 1;
}

/* Serves the program until it has ended and its output is in the file. */
static void serve(int signals, int orders, int inputs) {
    int ended = 0;
    uint64_t due = 0;
    size_t rest = 0;
    for (;;) {
        if (chunk_begin < chunk_end) save_chunk();
        int is_full = chunk_begin < chunk_end;
        if (ended && !is_full) {
            if (from_program < 0 || rest > REST || !read_chunk()) break;
            rest += CHUNK;
            continue;
        }
        uint64_t time = due ? now(CLOCK_MONOTONIC) : 0;
        if (due && !ended && time >= due) {
            signal_all(SIGKILL);
            due = 0;
        }
        int patience = is_full ? RETRY : due ? (int)(due - time) : -1;
        struct pollfd all[] = {
            {.fd = signals, .events = POLLIN},
            {.fd = ended ? -1 : orders, .events = POLLIN},
            {.fd = ended || message_end ? -1 : inputs, .events = POLLIN},
            {.fd = is_full ? -1 : from_program, .events = POLLIN},
            {.fd = message_end ? to_program : -1, .events = POLLOUT},
        };
        if (poll(all, sizeof all / sizeof *all, patience) < 0) continue;
        if (all[0].revents && !ended) ended = has_ended(signals);
        if (all[1].revents && !ended) take_order(orders, &due);
        if (all[2].revents && !ended) take_input(inputs);
        if (all[4].revents) write_message();
        if (all[3].revents && !ended) read_chunk();
    }
    /* On a file system that copies when it writes, even this may need room. */
    while (save_header() != 0) poll(NULL, 0, RETRY);
}

static void describe(char **arguments) {
    size_t length = 0;
    for (; *arguments && length + 1 < sizeof header.command; arguments++) {
        int count = snprintf(
            header.command + length, sizeof header.command - length, length ? " %s" : "%s", *arguments);
        length += count > 0 ? (size_t)count : 0;
    }
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, header.boot, 36) < 0) header.boot[0] = 0;
    close(file);
    header.began = now(CLOCK_REALTIME);
    header.keeper = (uint32_t)getpid();
    header.not_end = ~header.end;
}

/* Leaves the starter's session, so that nothing that ends the starter's group ends the keeper. */
static void leave(void) {
    setsid();
    umask(077);
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
    for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) signal(ignored[index], SIG_IGN);
}

static void keep(char **argv, int report) {
    unsigned short rows = (unsigned short)atoi(argv[2]), columns = (unsigned short)atoi(argv[3]);
    leave();
    header.ring = strtoull(argv[1], NULL, 10) + CHUNK;
    header.is_terminal = rows != 0;
    describe(argv + 4);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    int orders = bound("orders"), inputs = bound("input");
    int reason = signals < 0 || orders < 0 || inputs < 0 ? errno : 0;
    /* The page is there before the program is. */
    if (reason == 0) reason = save_header();
    if (reason == 0) reason = start(argv + 4, rows, columns);
    if (reason == 0) {
        header.state = RUNNING;
        reason = save_header();
    }
    /* Whoever is told of a failure may use the key again at once. */
    if (reason != 0) flock(OUTPUT, LOCK_UN);
    if (write(report, &reason, sizeof reason) < 0 || reason != 0) _exit(1);
    close(report);
    /* The program has its directory; the keeper holds up no unmounting. */
    if (chdir("/") != 0) errno = 0;
    serve(signals, orders, inputs);
}

int main(int argc, char **argv) {
    if (argc < 5 || fcntl(OUTPUT, F_SETFD, FD_CLOEXEC) != 0 || fcntl(DIRECTORY, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("napkin-keeper holds a program for a napkin worker, which starts it; it is no command.\n", stderr);
        return 64;
    }
    int report[2], reason = ECHILD;
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    pid_t keeper = fork();
    if (keeper < 0) return errno;
    if (keeper == 0) {
        close(report[0]);
        keep(argv, report[1]);
        return 0;
    }
    close(report[1]);
    while (read(report[0], &reason, sizeof reason) < 0 && errno == EINTR) continue;
    return reason;
}
