/* nats: the measures with NATS: its server, and its client library in C.
 *
 * NATS has no encoding of its own: fields are packed as they are. Each receiver has a connection.
 * Source   nats.h; nats-server --help
 */
#define PEER_THREADS
#include "peer.h"

#include <arpa/inet.h>
#include <nats/nats.h>
#include <semaphore.h>
#include <sys/socket.h>

enum { MESSAGE_BYTES = 512, PORT_BYTES = 16 };

static char port[PORT_BYTES];
static natsConnection *links[RECEIVERS_MAX];
static sem_t finished;

static void finish(void) { sem_post(&finished); }

static void run(void) { while (sem_wait(&finished) != 0); }

/* Before there are two processes: a port that nobody has, for both. */
__attribute__((constructor)) static void choose_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int holder = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(holder, (struct sockaddr *)&address, size) == 0, "bind");
    check(getsockname(holder, (struct sockaddr *)&address, &size) == 0, "getsockname");
    close(holder);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
}

static void succeed(natsStatus status, const char *what) {
    if (status == NATS_OK) return;
    fprintf(stderr, "nats: %s: %s\n", what, natsStatus_GetText(status));
    exit(70);
}

/* Waits until the server accepts. What is published is sent at once where `asap`. */
static natsConnection *link_up(bool asap) {
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%s", port);
    natsOptions *options;
    natsConnection *made = NULL;
    succeed(natsOptions_Create(&options), "options");
    succeed(natsOptions_SetURL(options, url), "url");
    succeed(natsOptions_SetSendAsap(options, asap), "options");
    succeed(natsOptions_UseGlobalMessageDelivery(options, true), "options");
    natsStatus status = natsConnection_Connect(&made, options);
    for (int tries = 0; status == NATS_NO_SERVER && tries < 500; tries++) {
        nats_Sleep(10);
        status = natsConnection_Connect(&made, options);
    }
    succeed(status, "connect");
    natsOptions_Destroy(options);
    return made;
}

static void listen_to(natsConnection *link, const char *subject, natsMsgHandler handler,
                      int index) {
    natsSubscription *subscription;
    void *context = (void *)(intptr_t)index;
    succeed(natsConnection_Subscribe(&subscription, link, subject, handler, context), subject);
    succeed(natsSubscription_SetPendingLimits(subscription, -1, -1), subject);
    succeed(natsConnection_Flush(link), "flush");
}

/* MARK: - The side that is called */

static void add(natsConnection *link, natsSubscription *from, natsMsg *message, void *context) {
    (void)from, (void)context;
    uint8_t bytes[MESSAGE_BYTES];
    struct item item = unpack_item(natsMsg_GetData(message));
    struct receipt receipt = put(&item);
    size_t size = pack_receipt(bytes, &receipt);
    succeed(natsConnection_Publish(link, natsMsg_GetReply(message), bytes, (int)size), "reply");
    natsMsg_Destroy(message);
}

static void ask(natsConnection *link, natsSubscription *from, natsMsg *message, void *pushes) {
    (void)from, (void)pushes;
    uint8_t bytes[MESSAGE_BYTES];
    for (int number = 0; number < BURST; number++) {
        const struct stamp *stamp = next_stamp();
        size_t size = pack_stamp(bytes, stamp);
        succeed(natsConnection_Publish(link, "push", bytes, (int)size), "push");
    }
    succeed(natsConnection_Publish(link, natsMsg_GetReply(message), NULL, 0), "reply");
    succeed(natsConnection_Flush(link), "flush");
    natsMsg_Destroy(message);
}

static void start_broker(void) {
    if (fork() > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", port, "-l", "nats.log", NULL);
    check(false, "nats-server");
}

static void serve(int receivers) {
    start_broker();
    natsConnection *link = link_up(receivers == 0);
    listen_to(link, "call", add, 0);
    listen_to(link, "ask", ask, 0);
    peer_ready();
    while (true) pause();
}

/* MARK: - The side that calls */

static void answered(
    natsConnection *link, natsSubscription *from, natsMsg *message, void *context) {
    (void)link, (void)from, (void)context;
    struct receipt receipt = unpack_receipt(natsMsg_GetData(message));
    natsMsg_Destroy(message);
    peer_enter();
    peer_answered(&receipt);
    peer_leave();
}

static void burst_answered(
    natsConnection *link, natsSubscription *from, natsMsg *message, void *context) {
    (void)link, (void)from, (void)context;
    natsMsg_Destroy(message);
    peer_enter();
    peer_burst_answered();
    peer_leave();
}

static void pushed(natsConnection *link, natsSubscription *from, natsMsg *message, void *context) {
    (void)link, (void)from;
    struct stamp stamp = unpack_stamp(natsMsg_GetData(message));
    natsMsg_Destroy(message);
    peer_enter();
    peer_delivered((int)(intptr_t)context, stamp.number, stamp.nanoseconds, strlen(stamp.text));
    peer_leave();
}

static void call(const struct item *item) {
    uint8_t bytes[MESSAGE_BYTES];
    size_t size = pack_item(bytes, item);
    succeed(natsConnection_PublishRequest(links[0], "call", "answered", bytes, (int)size), "call");
}

static void burst(void) {
    succeed(natsConnection_PublishRequest(links[0], "ask", "burst", NULL, 0), "ask");
}

static void attach(int receivers) {
    sem_init(&finished, 0, 0);
    links[0] = link_up(true);
    listen_to(links[0], "answered", answered, 0);
    listen_to(links[0], "burst", burst_answered, 0);
    for (int index = 0; index < receivers; index++) {
        if (index > 0) links[index] = link_up(true);
        listen_to(links[index], "push", pushed, index);
    }
}
