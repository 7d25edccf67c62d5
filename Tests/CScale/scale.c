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

int napkin_scale_serve(const char *prefix) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s.%d", prefix, getpid());
    if (length < 0 || (size_t)length >= sizeof address.sun_path) return ENAMETOOLONG;
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0) return errno;
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0) return errno;
    if (listen(listening, 8) != 0) return errno;
    pthread_t thread;
    return pthread_create(&thread, NULL, serve, NULL);
}
