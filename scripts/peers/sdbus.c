/* sdbus: the measures with sd-bus, over unix sockets between the two processes, without a broker.
 *
 * Source   sd-bus(3), sd_bus_set_server(3), sd_bus_call_method_async(3)
 */
#include "peer.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>

static const char path[] = "/peer", interface[] = "napkin.Peer";

static sd_bus *links[RECEIVERS_MAX];
static int count;
static bool finished;

static void finish(void) { finished = true; }

static void succeed(int result, const char *what) {
    if (result >= 0) return;
    errno = -result;
    check(false, what);
}

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "peer"};

/* A connection over a connected socket, authenticated. */
static sd_bus *link_over(int socket, bool serves) {
    sd_bus *made;
    succeed(sd_bus_new(&made), "sd_bus_new");
    succeed(sd_bus_set_fd(made, socket, socket), "sd_bus_set_fd");
    succeed(sd_bus_set_anonymous(made, true), "sd_bus_set_anonymous");
    if (serves) {
        sd_id128_t id;
        succeed(sd_id128_randomize(&id), "sd_id128_randomize");
        succeed(sd_bus_set_server(made, true, id), "sd_bus_set_server");
        /* No questions about who the other side is. */
        succeed(sd_bus_set_trusted(made, true), "sd_bus_set_trusted");
    }
    succeed(sd_bus_start(made), "sd_bus_start");
    return made;
}

/* Works off what has come; returns whether there was anything. */
static bool process(sd_bus *link) {
    int result = sd_bus_process(link, NULL);
    succeed(result, "sd_bus_process");
    return result > 0;
}

/* MARK: - The side that is called */

static int add(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    struct item item;
    const char *text;
    succeed(sd_bus_message_read(message, "xsid", &item.id, &text, &item.quantity, &item.price),
            "read");
    strncpy(item.name, text, sizeof item.name - 1);
    succeed(sd_bus_message_enter_container(message, 'a', "s"), "read");
    for (item.tags = 0; sd_bus_message_read_basic(message, 's', &text) > 0; item.tags++) {
        check(item.tags < TAGS, "too many tags");
        strncpy(item.tag[item.tags], text, sizeof item.tag[0] - 1);
    }
    struct receipt receipt = put(&item);
    return sd_bus_reply_method_return(message, "bx", (int)receipt.ok, receipt.count);
}

static int ask(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    for (int number = 0; number < BURST; number++) {
        const struct stamp *stamp = next_stamp();
        sd_bus_message *signal;
        succeed(sd_bus_message_new_signal(links[0], &signal, path, interface, "Pushed"), "signal");
        succeed(sd_bus_message_append(signal, "xts", stamp->number, stamp->nanoseconds,
                                      stamp->text),
                "append");
        /* Encoded once; and queued where the other side is slow. */
        for (int link = 0; link < count; link++)
            succeed(sd_bus_send(links[link], signal, NULL), "send");
        sd_bus_message_unref(signal);
    }
    for (int link = 0; link < count; link++) succeed(sd_bus_flush(links[link]), "flush");
    return sd_bus_reply_method_return(message, "");
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Add", "xsidas", "bx", add, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Ask", "", "", ask, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static void serve(int receivers) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(listen(listener, RECEIVERS_MAX) == 0, "listen");
    peer_ready();
    count = receivers > 0 ? receivers : 1;
    for (int link = 0; link < count; link++) {
        links[link] = link_over(accept(listener, NULL, NULL), true);
        while (sd_bus_is_ready(links[link]) <= 0)
            if (!process(links[link])) sd_bus_wait(links[link], UINT64_MAX);
    }
    succeed(sd_bus_add_object_vtable(links[0], NULL, path, interface, methods, NULL), "vtable");
    while (true)
        if (!process(links[0])) sd_bus_wait(links[0], UINT64_MAX);
}

/* MARK: - The side that calls */

static int answered(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    int ok;
    struct receipt receipt;
    succeed(sd_bus_message_read(message, "bx", &ok, &receipt.count), "a call has failed");
    receipt.ok = ok;
    peer_answered(&receipt);
    return 1;
}

static int burst_answered(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    check(!sd_bus_message_is_method_error(message, NULL), "a call has failed");
    peer_burst_answered();
    return 1;
}

static int pushed(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    struct stamp stamp;
    const char *text;
    succeed(sd_bus_message_read(message, "xts", &stamp.number, &stamp.nanoseconds, &text), "read");
    peer_delivered((int)(intptr_t)context, stamp.number, stamp.nanoseconds, strlen(text));
    return 1;
}

static void call(const struct item *item) {
    succeed(sd_bus_call_method_async(links[0], NULL, NULL, path, interface, "Add", answered, NULL,
                                     "xsidas", item->id, item->name, item->quantity, item->price,
                                     TAGS, item->tag[0], item->tag[1]),
            "Add");
}

static void burst(void) {
    succeed(sd_bus_call_method_async(links[0], NULL, NULL, path, interface, "Ask", burst_answered,
                                     NULL, ""),
            "Ask");
}

static int poller;

static void run(void) {
    finished = false;
    while (count == 1 && !finished)
        if (!process(links[0])) sd_bus_wait(links[0], UINT64_MAX);
    struct epoll_event events[RECEIVERS_MAX];
    while (!finished) {
        int ready = epoll_wait(poller, events, RECEIVERS_MAX, -1);
        for (int event = 0; event < ready; event++)
            while (process(events[event].data.ptr) && !finished);
    }
}

static void attach(int receivers) {
    poller = epoll_create1(0);
    count = receivers > 0 ? receivers : 1;
    for (int link = 0; link < count; link++) {
        int end = socket(AF_UNIX, SOCK_STREAM, 0);
        check(connect(end, (struct sockaddr *)&address, sizeof address) == 0, "connect");
        links[link] = link_over(end, false);
        succeed(sd_bus_match_signal(links[link], NULL, NULL, path, interface, "Pushed", pushed,
                                    (void *)(intptr_t)link),
                "match");
        while (sd_bus_is_ready(links[link]) <= 0)
            if (!process(links[link])) sd_bus_wait(links[link], UINT64_MAX);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = links[link]};
        check(epoll_ctl(poller, EPOLL_CTL_ADD, end, &event) == 0, "epoll");
    }
}
