/* peer: what the peers' programs have in common: messages, measures, and their line of output.
 *
 * Usage      PROGRAM calls|push NUMBER SECONDS, in an empty directory, where it makes its sockets.
 *            `calls 64` keeps 64 calls in flight on one connection; `push 50` has 50 receivers.
 * Output     one line of JSON: p50_us, for one call at a time, and per_s
 * Isolation  one thread at a time: programs whose library has threads take a lock around it.
 *
 * A program defines the functions below and tells what has come by those that begin with `peer_`.
 * As with napkin-bench, the receiver asks for bursts of pushes, four at a time, so that nothing is
 * lost.
 */
#ifndef PEER_H
#define PEER_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As in Tests/Proofs/Benchmarks/napkin-bench: CartItem, CartReceipt, CrowdStamp, and how bursts are sent. */
enum { TAGS = 2, TEXT_BYTES = 144, BURST = 250, BURSTS_TOGETHER = 4, RECEIVERS_MAX = 64 };

struct item {
    int64_t id;
    char name[64];
    int32_t quantity;
    double price;
    uint32_t tags;
    char tag[TAGS][32];
};

struct receipt {
    bool ok;
    int64_t count;
};

struct stamp {
    int64_t number;
    uint64_t nanoseconds;
    char text[TEXT_BYTES + 1];
};

/* MARK: - What a program defines */

/* The other process: accepts the connection, or those of all receivers, and answers. Calls
 * peer_ready() when it can be connected to. */
static void serve(int receivers);
/* Connects, and has all receivers wait for pushes. */
static void attach(int receivers);
/* Sends an item; peer_answered() when its receipt has come. */
static void call(const struct item *item);
/* Asks for BURST pushes to each receiver; peer_burst_answered() when the reply has come. */
static void burst(void);
/* Returns when finish() has been called. */
static void run(void);
static void finish(void);

/* MARK: - Ends */

static inline void check(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "peer: %s (%s)\n", what, strerror(errno));
    exit(70);
}

static inline uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Where callbacks come on several threads (PEER_THREADS), they enter before they tell. */
#ifdef PEER_THREADS
#include <pthread.h>
static pthread_mutex_t peer_mutex = PTHREAD_MUTEX_INITIALIZER;
static inline void peer_enter(void) { pthread_mutex_lock(&peer_mutex); }
static inline void peer_leave(void) { pthread_mutex_unlock(&peer_mutex); }
#else
static inline void peer_enter(void) {}
static inline void peer_leave(void) {}
#endif

static int peer_ready_pipe[2];

static inline void peer_ready(void) {
    check(write(peer_ready_pipe[1], "", 1) == 1, "cannot say that it is ready");
}

/* MARK: - Messages */

static inline struct item standard_item(void) {
    struct item item = {};
    item.id = 1;
    strcpy(item.name, "smoked brisket, sliced..");
    item.quantity = 3;
    item.price = 18.75;
    item.tags = TAGS;
    strcpy(item.tag[0], "smokebox");
    strcpy(item.tag[1], "takeaway");
    return item;
}

/* What the other process does with an item, however it has come. */
static inline struct receipt put(const struct item *item) {
    static int64_t count;
    count += item->quantity;
    struct receipt receipt = {};
    receipt.ok = item->id == 1 && item->price == 18.75 && item->tags == TAGS &&
                 item->name[0] == 's' && item->tag[1][0] == 't';
    receipt.count = count;
    return receipt;
}

/* The next push, valid until the one after it. The time is that of the burst. */
static inline const struct stamp *next_stamp(void) {
    static struct stamp stamp;
    for (int index = 0; stamp.number == 0 && index < TEXT_BYTES; index++)
        stamp.text[index] = (char)('0' + index % 10);
    if (stamp.number++ % BURST == 0) stamp.nanoseconds = now();
    return &stamp;
}

/* For systems without an encoding of their own: the fields one after the other, a text with its
 * length before it. */
static inline void pack(uint8_t **at, const void *value, size_t size) {
    memcpy(*at, value, size);
    *at += size;
}

static inline void unpack(const uint8_t **at, void *value, size_t size) {
    memcpy(value, *at, size);
    *at += size;
}

static inline void pack_text(uint8_t **at, const char *text) {
    uint32_t size = (uint32_t)strlen(text);
    pack(at, &size, sizeof size);
    pack(at, text, size);
}

static inline void unpack_text(const uint8_t **at, char *text, size_t capacity) {
    uint32_t size;
    unpack(at, &size, sizeof size);
    check(size < capacity, "a text is too long");
    unpack(at, text, size);
    text[size] = 0;
}

static inline size_t pack_item(uint8_t *bytes, const struct item *item) {
    uint8_t *at = bytes;
    pack(&at, &item->id, sizeof item->id);
    pack_text(&at, item->name);
    pack(&at, &item->quantity, sizeof item->quantity);
    pack(&at, &item->price, sizeof item->price);
    pack(&at, &item->tags, sizeof item->tags);
    for (uint32_t tag = 0; tag < item->tags; tag++) pack_text(&at, item->tag[tag]);
    return (size_t)(at - bytes);
}

static inline struct item unpack_item(const void *bytes) {
    struct item item;
    const uint8_t *at = (const uint8_t *)bytes;
    unpack(&at, &item.id, sizeof item.id);
    unpack_text(&at, item.name, sizeof item.name);
    unpack(&at, &item.quantity, sizeof item.quantity);
    unpack(&at, &item.price, sizeof item.price);
    unpack(&at, &item.tags, sizeof item.tags);
    check(item.tags <= TAGS, "too many tags");
    for (uint32_t tag = 0; tag < item.tags; tag++)
        unpack_text(&at, item.tag[tag], sizeof item.tag[tag]);
    return item;
}

static inline size_t pack_receipt(uint8_t *bytes, const struct receipt *receipt) {
    uint8_t *at = bytes;
    pack(&at, &receipt->ok, sizeof receipt->ok);
    pack(&at, &receipt->count, sizeof receipt->count);
    return (size_t)(at - bytes);
}

static inline struct receipt unpack_receipt(const void *bytes) {
    struct receipt receipt;
    const uint8_t *at = (const uint8_t *)bytes;
    unpack(&at, &receipt.ok, sizeof receipt.ok);
    unpack(&at, &receipt.count, sizeof receipt.count);
    return receipt;
}

static inline size_t pack_stamp(uint8_t *bytes, const struct stamp *stamp) {
    uint8_t *at = bytes;
    pack(&at, &stamp->number, sizeof stamp->number);
    pack(&at, &stamp->nanoseconds, sizeof stamp->nanoseconds);
    pack_text(&at, stamp->text);
    return (size_t)(at - bytes);
}

static inline struct stamp unpack_stamp(const void *bytes) {
    struct stamp stamp;
    const uint8_t *at = (const uint8_t *)bytes;
    unpack(&at, &stamp.number, sizeof stamp.number);
    unpack(&at, &stamp.nanoseconds, sizeof stamp.nanoseconds);
    unpack_text(&at, stamp.text, sizeof stamp.text);
    return stamp;
}

/* MARK: - Measures */

enum { SLOT_NANOSECONDS = 10, SLOTS = 1000000 };

static struct {
    int number;  /* calls in flight, or receivers */
    bool over;
    uint64_t end, called;
    int64_t sent, answered, count;
    int64_t bursts, bursts_answered, delivered;
    int64_t received[RECEIVERS_MAX];
    uint32_t latencies[SLOTS];
} peer;

static inline void peer_answered(const struct receipt *receipt) {
    uint64_t time = now(), slot = (time - peer.called) / SLOT_NANOSECONDS;
    peer.latencies[slot < SLOTS ? slot : SLOTS - 1]++;
    check(receipt->ok, "an item has not come as it was sent");
    if (receipt->count > peer.count) peer.count = receipt->count;
    peer.answered++;
    if (time < peer.end) {
        struct item item = standard_item();
        peer.sent++;
        peer.called = time;
        call(&item);
    } else if (peer.answered == peer.sent) {
        check(peer.count == 3 * peer.sent, "an item was not counted");
        finish();
    }
}

/* Asks for more while the receiver that asks keeps up. */
static inline void peer_advance(void) {
    int64_t done = peer.received[0] / BURST;
    if (peer.bursts_answered < done) done = peer.bursts_answered;
    while (!peer.over && peer.bursts - done < BURSTS_TOGETHER) {
        peer.over = now() >= peer.end;
        if (peer.over) break;
        peer.bursts++;
        burst();
    }
    if (peer.over && peer.bursts_answered == peer.bursts &&
        peer.delivered == peer.bursts * BURST * peer.number)
        finish();
}

static inline void peer_burst_answered(void) {
    peer.bursts_answered++;
    peer_advance();
}

static inline void peer_delivered(int receiver, int64_t number, uint64_t nanoseconds, size_t text) {
    check(number == ++peer.received[receiver] && nanoseconds > 0 && text == TEXT_BYTES,
          "a push is missing, or not as it was sent");
    if (++peer.delivered % BURST == 0 || receiver == 0) peer_advance();
}

/* Returns what came each second. */
static inline double peer_measure(bool pushes, double seconds) {
    peer_enter();
    memset(peer.latencies, 0, sizeof peer.latencies);
    uint64_t start = peer.called = now();
    int64_t before = peer.delivered + peer.answered;
    peer.end = start + (uint64_t)(seconds * 1e9);
    peer.over = false;
    if (pushes) {
        peer_advance();
    } else {
        peer.sent += peer.number;
        struct item item = standard_item();
        for (int number = 0; number < peer.number; number++) call(&item);
    }
    peer_leave();
    run();
    return (double)(peer.delivered + peer.answered - before) / (double)(now() - start) * 1e9;
}

static inline double peer_median(void) {
    uint64_t all = 0, below = 0, slot = 0;
    for (int index = 0; index < SLOTS; index++) all += peer.latencies[index];
    while (slot < SLOTS && (below += peer.latencies[slot]) * 2 < all) slot++;
    return (double)slot * SLOT_NANOSECONDS / 1000;
}

/* A measure that hangs ends by a signal. Chosen: far more than any should take. */
enum { TIME_LIMIT_SECONDS = 60 };

int main(int count, char **arguments) {
    bool pushes = count == 4 && strcmp(arguments[1], "push") == 0;
    double seconds = count == 4 ? atof(arguments[3]) : 0;
    peer.number = count == 4 ? atoi(arguments[2]) : 0;
    if (peer.number < 1 || peer.number > RECEIVERS_MAX || seconds <= 0) {
        fprintf(stderr, "usage: %s calls|push NUMBER SECONDS\n", arguments[0]);
        return 64;
    }
    alarm(TIME_LIMIT_SECONDS);
    int receivers = pushes ? peer.number : 0;
    check(pipe(peer_ready_pipe) == 0, "cannot make a pipe");
    pid_t child = fork();
    check(child >= 0, "cannot fork");
    if (child == 0) {
        /* A measure that is killed leaves nothing behind. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(peer_ready_pipe[0]);
        serve(receivers);
        _exit(0);
    }
    char byte;
    close(peer_ready_pipe[1]);
    check(read(peer_ready_pipe[0], &byte, 1) == 1, "the other process has ended");
    attach(receivers);
    peer_measure(pushes, seconds / 5);
    double rate = peer_measure(pushes, seconds);
    if (pushes || peer.number > 1) printf("{\"per_s\":%.0f}\n", rate);
    else printf("{\"p50_us\":%.2f,\"per_s\":%.0f}\n", peer_median(), rate);
    fflush(stdout);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    _exit(0);
}

#endif
