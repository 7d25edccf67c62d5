/* zeromq: the measures with ZeroMQ, over ipc.
 *
 * Calls go over a pair of DEALER sockets, which need no envelope; pushes from an XPUB socket to a
 * SUB socket for each receiver. ZeroMQ has no encoding of its own: fields are packed as they are.
 * Source   zmq_socket(3), zmq_setsockopt(3), zmq_poll(3)
 */
#include "peer.h"

#include <zmq.h>

enum { CALL, ASK };
enum { MESSAGE_BYTES = 512 };

/* The first is for calls and their replies, the others are for pushes. */
static void *sockets[1 + RECEIVERS_MAX];
static int count;
static bool finished;

static void finish(void) { finished = true; }

static void *make(void *context, int type, const char *address, bool binds) {
    int unlimited = 0, verbose = 1;
    void *made = zmq_socket(context, type);
    check(made, "zmq_socket");
    zmq_setsockopt(made, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(made, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
    /* Tells of each subscription, so that pushes begin after the last of them. */
    if (type == ZMQ_XPUB) zmq_setsockopt(made, ZMQ_XPUB_VERBOSE, &verbose, sizeof verbose);
    if (type == ZMQ_SUB) zmq_setsockopt(made, ZMQ_SUBSCRIBE, "", 0);
    check((binds ? zmq_bind : zmq_connect)(made, address) == 0, address);
    return made;
}

static void call(const struct item *item) {
    uint8_t bytes[MESSAGE_BYTES] = {CALL};
    size_t size = 1 + pack_item(bytes + 1, item);
    check(zmq_send(sockets[0], bytes, size, 0) == (int)size, "zmq_send");
}

static void burst(void) {
    const uint8_t kind = ASK;
    check(zmq_send(sockets[0], &kind, 1, 0) == 1, "zmq_send");
}

/* Returns whether there was a message. */
static bool receive(int index, int flags) {
    uint8_t bytes[MESSAGE_BYTES];
    int size = zmq_recv(sockets[index], bytes, sizeof bytes, flags);
    if (size < 0 && errno == EAGAIN) return false;
    check(size > 0, "zmq_recv");
    if (index > 0) {
        struct stamp stamp = unpack_stamp(bytes);
        peer_delivered(index - 1, stamp.number, stamp.nanoseconds, strlen(stamp.text));
    } else if (bytes[0] == CALL) {
        struct receipt receipt = unpack_receipt(bytes + 1);
        peer_answered(&receipt);
    } else {
        peer_burst_answered();
    }
    return true;
}

static void run(void) {
    finished = false;
    while (count == 0 && !finished) receive(0, 0);
    zmq_pollitem_t items[1 + RECEIVERS_MAX];
    for (int index = 0; index <= count; index++)
        items[index] = (zmq_pollitem_t){.socket = sockets[index], .events = ZMQ_POLLIN};
    while (!finished) {
        check(zmq_poll(items, 1 + count, -1) > 0, "zmq_poll");
        for (int index = 0; index <= count; index++)
            while (items[index].revents && receive(index, ZMQ_DONTWAIT));
    }
}

static void serve(int receivers) {
    void *context = zmq_ctx_new();
    void *calls = make(context, ZMQ_DEALER, "ipc://calls", true);
    void *pushes = make(context, ZMQ_XPUB, "ipc://pushes", true);
    uint8_t bytes[MESSAGE_BYTES];
    peer_ready();
    for (int number = 0; number < receivers; number++)
        check(zmq_recv(pushes, bytes, sizeof bytes, 0) > 0, "zmq_recv");
    while (zmq_recv(calls, bytes, sizeof bytes, 0) > 0) {
        size_t size = 1;
        if (bytes[0] == CALL) {
            struct item item = unpack_item(bytes + 1);
            struct receipt receipt = put(&item);
            size += pack_receipt(bytes + 1, &receipt);
        }
        for (int number = 0; bytes[0] == ASK && number < BURST; number++) {
            uint8_t push[MESSAGE_BYTES];
            const struct stamp *stamp = next_stamp();
            size_t length = pack_stamp(push, stamp);
            check(zmq_send(pushes, push, length, 0) == (int)length, "zmq_send");
        }
        check(zmq_send(calls, bytes, size, 0) == (int)size, "zmq_send");
    }
}

static void attach(int receivers) {
    void *context = zmq_ctx_new();
    count = receivers;
    sockets[0] = make(context, ZMQ_DEALER, "ipc://calls", false);
    for (int index = 1; index <= receivers; index++)
        sockets[index] = make(context, ZMQ_SUB, "ipc://pushes", false);
}
