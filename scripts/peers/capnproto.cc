/* capnproto: the measures with Cap'n Proto's RPC, over unix sockets.
 *
 * Pushes are calls of a streaming method of each receiver, whose flow control is Cap'n Proto's.
 * Source   capnp/rpc-twoparty.h, kj/async-io.h
 */
#include "peer.h"

#include <capnp/rpc-twoparty.h>
#include <deque>
#include <kj/async-io.h>

#include "capnproto.capnp.h"

static const char address[] = "unix:peer";

/* MARK: - The side that is called */

/* A receiver, and how many pushes it has been sent. */
struct Followed {
    Receiver::Client receiver;
    int64_t sent;
};

/* Sends what is left of a burst, as fast as the flow control lets it. Receivers may be at different
 * pushes, so each has its own count. */
static kj::Promise<void> push(Followed &to, const struct stamp &stamp, int left) {
    if (left == 0) return kj::READY_NOW;
    auto request = to.receiver.pushRequest();
    auto message = request.initStamp();
    message.setNumber(++to.sent);
    message.setNanoseconds(stamp.nanoseconds);
    message.setText(stamp.text);
    return request.send().then([&to, &stamp, left] { return push(to, stamp, left - 1); });
}

class Server final : public Shop::Server {
public:
    kj::Promise<void> add(AddContext context) override {
        struct item item = {};
        auto message = context.getParams().getItem();
        item.id = message.getId();
        strncpy(item.name, message.getName().cStr(), sizeof item.name - 1);
        item.quantity = message.getQuantity();
        item.price = message.getPrice();
        for (auto tag : message.getTags()) {
            check(item.tags < TAGS, "too many tags");
            strncpy(item.tag[item.tags++], tag.cStr(), sizeof item.tag[0] - 1);
        }
        struct receipt receipt = put(&item);
        auto reply = context.getResults().initReceipt();
        reply.setOk(receipt.ok);
        reply.setCount(receipt.count);
        return kj::READY_NOW;
    }

    kj::Promise<void> follow(FollowContext context) override {
        followers.push_back({context.getParams().getReceiver(), 0});
        return kj::READY_NOW;
    }

    kj::Promise<void> ask(AskContext) override {
        const struct stamp &stamp = *next_stamp();
        kj::Vector<kj::Promise<void>> pushes;
        for (auto &follower : followers) pushes.add(push(follower, stamp, BURST));
        return kj::joinPromises(pushes.releaseAsArray());
    }

private:
    std::deque<Followed> followers;
};

static void serve(int) {
    auto io = kj::setupAsyncIo();
    capnp::TwoPartyServer server(kj::heap<Server>());
    auto listener =
        io.provider->getNetwork().parseAddress(address).wait(io.waitScope)->listen();
    peer_ready();
    server.listen(*listener).wait(io.waitScope);
}

/* MARK: - The side that calls */

static kj::AsyncIoContext *io;
static Shop::Client *shop;
static kj::Own<kj::PromiseFulfiller<void>> finished;

struct Failed final : public kj::TaskSet::ErrorHandler {
    void taskFailed(kj::Exception &&error) override { check(false, error.getDescription().cStr()); }
};
static Failed failed;
static kj::TaskSet *tasks;

class Follower final : public Receiver::Server {
public:
    explicit Follower(int index) : index(index) {}

    kj::Promise<void> push(PushContext context) override {
        auto stamp = context.getParams().getStamp();
        peer_delivered(index, stamp.getNumber(), stamp.getNanoseconds(), stamp.getText().size());
        return kj::READY_NOW;
    }

private:
    int index;
};

static void call(const struct item *item) {
    auto request = shop->addRequest();
    auto message = request.initItem();
    message.setId(item->id);
    message.setName(item->name);
    message.setQuantity(item->quantity);
    message.setPrice(item->price);
    auto tags = message.initTags(TAGS);
    for (unsigned tag = 0; tag < TAGS; tag++) tags.set(tag, item->tag[tag]);
    tasks->add(request.send().then([](auto response) {
        struct receipt receipt = {response.getReceipt().getOk(), response.getReceipt().getCount()};
        peer_answered(&receipt);
    }));
}

static void burst() {
    tasks->add(shop->askRequest().send().then([](auto) { peer_burst_answered(); }));
}

static void finish() { finished->fulfill(); }

static void run() {
    /* Nothing comes before it waits here. */
    auto pair = kj::newPromiseAndFulfiller<void>();
    finished = kj::mv(pair.fulfiller);
    pair.promise.wait(io->waitScope);
}

static void attach(int receivers) {
    /* Kept until the process ends. */
    io = new kj::AsyncIoContext(kj::setupAsyncIo());
    tasks = new kj::TaskSet(failed);
    auto peer = io->provider->getNetwork().parseAddress(address).wait(io->waitScope);
    for (int index = 0; index < receivers || index == 0; index++) {
        auto stream = new kj::Own<kj::AsyncIoStream>(peer->connect().wait(io->waitScope));
        auto client = new capnp::TwoPartyClient(**stream);
        auto its = client->bootstrap().castAs<Shop>();
        if (index == 0) shop = new Shop::Client(its);
        if (receivers == 0) break;
        auto request = its.followRequest();
        request.setReceiver(kj::heap<Follower>(index));
        request.send().wait(io->waitScope);
    }
}
