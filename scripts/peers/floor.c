/* floor: what two processes can do here with nothing but epoll, read and batched writes.
 *
 * Frames have the length of napkin's, of the same messages: 28 bytes of header and a payload.
 * Source   epoll(7), unix(7)
 */
#include "peer.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { CALL, REPLY, ASK, DONE, PUSH };
enum { HEADER_BYTES = 28, CALL_BYTES = 85, REPLY_BYTES = 16, BUFFER_BYTES = 1 << 18 };

struct header {
    uint32_t size;
    uint32_t kind;
};

struct link {
    int socket;
    size_t in, out;
    uint8_t input[BUFFER_BYTES], output[BUFFER_BYTES];
};

static struct link links[RECEIVERS_MAX];
static int poller, count;
static bool finished;

static void finish(void) { finished = true; }

static void add(int index, int socket) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
    links[index].socket = socket;
    check(epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event) == 0, "epoll");
}

/* Blocks while the other side does not read; it always does. */
static void flush(struct link *link) {
    size_t written = 0;
    while (written < link->out) {
        size_t left = link->out - written;
        ssize_t bytes = send(link->socket, link->output + written, left, MSG_NOSIGNAL);
        check(bytes > 0, "the other side has gone");
        written += (size_t)bytes;
    }
    link->out = 0;
}

/* Returns where the payload is to be put. */
static uint8_t *room(struct link *link, uint32_t kind, size_t payload) {
    struct header header = {.size = (uint32_t)(HEADER_BYTES + payload), .kind = kind};
    if (link->out + header.size > BUFFER_BYTES) flush(link);
    uint8_t *frame = link->output + link->out;
    memcpy(frame, &header, sizeof header);
    link->out += header.size;
    return frame + HEADER_BYTES;
}

static void call(const struct item *item) {
    pack_item(room(&links[0], CALL, CALL_BYTES), item);
}

static void burst(void) { room(&links[0], ASK, 0); }

static void push_burst(void) {
    uint8_t bytes[sizeof(struct stamp) + 8];
    for (int number = 0; number < BURST; number++) {
        const struct stamp *stamp = next_stamp();
        size_t size = pack_stamp(bytes, stamp);
        for (int link = 0; link < count; link++)
            memcpy(room(&links[link], PUSH, size), bytes, size);
    }
    room(&links[0], DONE, 0);
}

static void handle(int index, uint32_t kind, const uint8_t *payload) {
    if (kind == CALL) {
        struct item item = unpack_item(payload);
        struct receipt receipt = put(&item);
        pack_receipt(room(&links[index], REPLY, REPLY_BYTES), &receipt);
    } else if (kind == REPLY) {
        struct receipt receipt = unpack_receipt(payload);
        peer_answered(&receipt);
    } else if (kind == ASK) {
        push_burst();
    } else if (kind == DONE) {
        peer_burst_answered();
    } else {
        struct stamp stamp = unpack_stamp(payload);
        peer_delivered(index, stamp.number, stamp.nanoseconds, strlen(stamp.text));
    }
}

static void receive(int index) {
    struct link *link = &links[index];
    ssize_t bytes = read(link->socket, link->input + link->in, BUFFER_BYTES - link->in);
    check(bytes > 0, "the other side has gone");
    link->in += (size_t)bytes;
    struct header header;
    size_t used = 0;
    while (link->in - used >= HEADER_BYTES) {
        memcpy(&header, link->input + used, sizeof header);
        if (link->in - used < header.size) break;
        handle(index, header.kind, link->input + used + HEADER_BYTES);
        used += header.size;
    }
    link->in -= used;
    memmove(link->input, link->input + used, link->in);
}

static void run(void) {
    struct epoll_event events[RECEIVERS_MAX];
    finished = false;
    while (true) {
        for (int link = 0; link < count; link++)
            if (links[link].out > 0) flush(&links[link]);
        if (finished) return;
        int ready = epoll_wait(poller, events, RECEIVERS_MAX, -1);
        for (int event = 0; event < ready; event++) receive((int)events[event].data.u32);
    }
}

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "peer"};

static void serve(int receivers) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(listen(listener, RECEIVERS_MAX) == 0, "listen");
    peer_ready();
    poller = epoll_create1(0);
    count = receivers > 0 ? receivers : 1;
    for (int link = 0; link < count; link++) add(link, accept(listener, NULL, NULL));
    run();
}

static void attach(int receivers) {
    poller = epoll_create1(0);
    count = receivers > 0 ? receivers : 1;
    for (int link = 0; link < count; link++) {
        int end = socket(AF_UNIX, SOCK_STREAM, 0);
        check(connect(end, (struct sockaddr *)&address, sizeof address) == 0, "connect");
        add(link, end);
    }
}
