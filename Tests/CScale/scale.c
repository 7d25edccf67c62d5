#define _GNU_SOURCE
#include "scale.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listening = -1;

static void *serve(void *unused) {
    for (;;) {
        int peer = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0 && errno != EINTR && errno != ECONNABORTED) return unused;
        if (peer < 0) continue;
        uint64_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd;
        /* One who has gone meanwhile does not want to know. */
        (void)!send(peer, &bytes, sizeof bytes, MSG_NOSIGNAL);
        close(peer);
    }
}

static int find(struct sockaddr_un *address, const char *prefix, int pid) {
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s.%d", prefix, pid);
    return length < 0 || (size_t)length >= sizeof address->sun_path ? ENAMETOOLONG : 0;
}

int napkin_scale_serve(const char *prefix) {
    struct sockaddr_un address;
    int error = find(&address, prefix, getpid());
    if (error != 0) return error;
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0) return errno;
    /* That of a process which had this number before. */
    unlink(address.sun_path);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0) return errno;
    if (listen(listening, 8) != 0) return errno;
    pthread_t thread;
    return pthread_create(&thread, NULL, serve, NULL);
}

int64_t napkin_scale_read(const char *prefix, int pid) {
    struct sockaddr_un address;
    int64_t bytes = -1;
    if (find(&address, prefix, pid) != 0) return -1;
    int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (peer < 0) return -1;
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0 ||
        recv(peer, &bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes)
        bytes = -1;
    close(peer);
    return bytes;
}
