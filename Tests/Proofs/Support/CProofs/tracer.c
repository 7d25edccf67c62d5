#define _GNU_SOURCE
#include "tracer.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { FOLLOWED_MAX = 1024 };

static const long OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE;

/* Seizes each thread that is not followed yet; a thread that a followed one starts is followed by
 * itself. Returns how many were seized, or an errno, negated. */
static int seize_threads(int pid, int *followed, int *count) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *directory = opendir(path);
    if (!directory) return -errno;
    int seized = 0, refused = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        int thread = atoi(entry->d_name);
        int known = thread == 0 || *count == FOLLOWED_MAX;
        for (int index = 0; index < *count; index++) known |= followed[index] == thread;
        if (known) continue;
        if (ptrace(PTRACE_SEIZE, thread, 0, OPTIONS) != 0) {
            /* It has ended meanwhile, or its parent's tracing has it already. */
            if (errno != ESRCH) refused = errno;
            continue;
        }
        followed[(*count)++] = thread;
        seized++;
        ptrace(PTRACE_INTERRUPT, thread, 0, 0);
    }
    closedir(directory);
    return *count == 0 ? -(refused ? refused : ESRCH) : seized;
}

static int begins_call(int thread) {
    struct __ptrace_syscall_info info = {0};
    long size = ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info);
    return size > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

long napkin_kill_at_call(int pid, long nth, void (*ready)(void)) {
    static int followed[FOLLOWED_MAX];
    int count = 0, seized;
    do seized = seize_threads(pid, followed, &count);
    while (seized > 0);
    if (seized < 0) return seized;
    int unstopped = count;
    long calls = 0;
    for (;;) {
        int status, thread = waitpid(-1, &status, __WALL);
        if (thread < 0) {
            if (errno == EINTR) continue;
            return errno == ECHILD ? calls : -errno;
        }
        /* The first thread's end is reported when all others have ended. */
        if (!WIFSTOPPED(status)) {
            if (thread == pid) return calls;
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (signal == (SIGTRAP | 0x80)) {
            signal = 0;
            if (unstopped == 0 && begins_call(thread) && ++calls == nth) kill(pid, SIGKILL);
        } else if (event) {
            signal = 0;
            if (event == PTRACE_EVENT_STOP && unstopped > 0 && --unstopped == 0) ready();
        }
        ptrace(PTRACE_SYSCALL, thread, 0, (long)signal);
    }
}

/* It fails where there is no such rule. */
void napkin_allow_tracer(void) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }
