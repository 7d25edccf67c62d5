/* grpc: the measures with gRPC in C++, over unix sockets, with a completion queue on both sides.
 *
 * Pushes are the messages of a stream for each receiver, which has a channel of its own. A push is
 * encoded once for all of them, and one write of a stream is under way at a time, as gRPC asks; all
 * but the last of a burst may be buffered.
 * Source   grpcpp/completion_queue.h, support/async_unary_call.h, support/async_stream.h
 */
#include "peer.h"

#include <deque>
#include <grpcpp/grpcpp.h>
#include <vector>

#include "grpc.grpc.pb.h"

using namespace napkin::peers;

static const char address[] = "unix:peer";

/* What comes out of a completion queue. */
struct Tag {
    virtual ~Tag() = default;
    virtual void done(bool ok) = 0;
};

static void turn(grpc::CompletionQueue &queue) {
    void *tag;
    bool ok;
    check(queue.Next(&tag, &ok), "the queue has ended");
    static_cast<Tag *>(tag)->done(ok);
}

/* MARK: - The side that is called */

/* More than are in flight. */
enum { CALLS_WAITING = 100 };

using Service = Shop::WithAsyncMethod_Add<
    Shop::WithRawMethod_Follow<Shop::WithAsyncMethod_Ask<Shop::Service>>>;

static Service service;
static std::unique_ptr<grpc::ServerCompletionQueue> incoming;

/* Waits for a call, answers it, and waits for the next. */
struct Adding final : Tag {
    std::unique_ptr<grpc::ServerContext> context;
    Item message;
    std::unique_ptr<grpc::ServerAsyncResponseWriter<Receipt>> writer;
    bool finishing = true;

    void done(bool ok) override {
        check(ok, "a call has ended");
        finishing = !finishing;
        if (finishing) return answer();
        context.reset(new grpc::ServerContext);
        writer.reset(new grpc::ServerAsyncResponseWriter<Receipt>(context.get()));
        auto queue = incoming.get();
        service.RequestAdd(context.get(), &message, writer.get(), queue, queue, this);
    }

    void answer() {
        struct item item = {};
        item.id = message.id();
        strncpy(item.name, message.name().c_str(), sizeof item.name - 1);
        item.quantity = message.quantity();
        item.price = message.price();
        for (auto &tag : message.tags()) {
            check(item.tags < TAGS, "too many tags");
            strncpy(item.tag[item.tags++], tag.c_str(), sizeof item.tag[0] - 1);
        }
        struct receipt receipt = put(&item);
        Receipt reply;
        reply.set_ok(receipt.ok);
        reply.set_count(receipt.count);
        writer->Finish(reply, grpc::Status::OK, this);
    }
};

struct Asking;

/* A receiver's stream: the next one waits as soon as this one has begun. */
struct Following final : Tag {
    grpc::ServerContext context;
    grpc::ByteBuffer nothing;
    grpc::ServerAsyncWriter<grpc::ByteBuffer> writer{&context};
    std::deque<std::pair<grpc::ByteBuffer, Asking *>> queue;
    bool begun = false;

    Following() {
        service.RequestFollow(&context, &nothing, &writer, incoming.get(), incoming.get(), this);
    }

    void push(const std::vector<grpc::ByteBuffer> &messages, Asking *burst) {
        bool idle = queue.empty();
        for (auto &message : messages) queue.push_back({message, nullptr});
        queue.back().second = burst;
        if (idle) write();
    }

    void write() {
        grpc::WriteOptions options;
        if (queue.size() > 1) options.set_buffer_hint();
        writer.Write(queue.front().first, options, this);
    }

    void done(bool ok) override;
};

static std::vector<Following *> followers;

/* A burst that is asked for: answered when all receivers' streams have taken it. */
struct Asking final : Tag {
    grpc::ServerContext context;
    Nothing nothing;
    grpc::ServerAsyncResponseWriter<Nothing> writer{&context};
    size_t left = 0;
    bool answered = false;

    Asking() {
        service.RequestAsk(&context, &nothing, &writer, incoming.get(), incoming.get(), this);
    }

    void done(bool) override {
        if (answered) {
            delete this;
            return;
        }
        new Asking;
        std::vector<grpc::ByteBuffer> messages(BURST);
        for (auto &bytes : messages) {
            const struct stamp *stamp = next_stamp();
            Stamp message;
            bool own;
            message.set_number(stamp->number);
            message.set_nanoseconds(stamp->nanoseconds);
            message.set_text(stamp->text);
            auto status = grpc::SerializationTraits<Stamp>::Serialize(message, &bytes, &own);
            check(status.ok(), "encode");
        }
        left = followers.size();
        for (auto follower : followers) follower->push(messages, this);
    }

    void taken() {
        if (--left > 0) return;
        answered = true;
        writer.Finish(nothing, grpc::Status::OK, this);
    }
};

void Following::done(bool ok) {
    check(ok, "a stream has ended");
    if (!begun) {
        begun = true;
        new Following;
        followers.push_back(this);
        /* Tells the receiver that it follows. */
        queue.push_back({grpc::ByteBuffer(), nullptr});
        writer.SendInitialMetadata(this);
        return;
    }
    Asking *burst = queue.front().second;
    queue.pop_front();
    if (!queue.empty()) write();
    if (burst) burst->taken();
}

static void serve(int) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    incoming = builder.AddCompletionQueue();
    auto server = builder.BuildAndStart();
    check(server != nullptr, "the server does not start");
    for (int number = 0; number < CALLS_WAITING; number++) (new Adding)->done(true);
    new Following;
    for (int number = 0; number < BURSTS_TOGETHER; number++) new Asking;
    peer_ready();
    while (true) turn(*incoming);
}

/* MARK: - The side that calls */

static grpc::CompletionQueue *outgoing;
static std::unique_ptr<Shop::Stub> stubs[RECEIVERS_MAX];
static int following;
static bool finished;

static void finish() { finished = true; }

static void run() {
    for (finished = false; !finished;) turn(*outgoing);
}

/* A call that is under way, and who is told of its reply. */
template <typename Reply> struct Call final : Tag {
    using Reader = std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>>;
    grpc::ClientContext context;
    Reply reply;
    grpc::Status status;
    Reader reader;
    void (*told)(const Reply &);

    explicit Call(void (*told)(const Reply &)) : told(told) {}

    void begun(Reader made) {
        reader = std::move(made);
        reader->Finish(&reply, &status, this);
    }

    void done(bool) override {
        check(status.ok(), status.error_message().c_str());
        told(reply);
        delete this;
    }
};

static void call(const struct item *item) {
    auto call = new Call<Receipt>([](const Receipt &reply) {
        struct receipt receipt = {reply.ok(), reply.count()};
        peer_answered(&receipt);
    });
    Item message;
    message.set_id(item->id);
    message.set_name(item->name);
    message.set_quantity(item->quantity);
    message.set_price(item->price);
    for (auto &tag : item->tag) message.add_tags(tag);
    call->begun(stubs[0]->AsyncAdd(&call->context, message, outgoing));
}

static void burst() {
    auto call = new Call<Nothing>([](const Nothing &) { peer_burst_answered(); });
    call->begun(stubs[0]->AsyncAsk(&call->context, Nothing(), outgoing));
}

struct Follower final : Tag {
    int index;
    grpc::ClientContext context;
    Stamp message;
    std::unique_ptr<grpc::ClientAsyncReader<Stamp>> reader;
    enum { BEGINS, WAITS, READS } state = BEGINS;

    explicit Follower(int index) : index(index) {
        reader = stubs[index]->AsyncFollow(&context, Nothing(), outgoing, this);
    }

    void done(bool ok) override {
        check(ok, "a stream has ended");
        if (state == BEGINS) {
            state = WAITS;
            reader->ReadInitialMetadata(this);
            return;
        }
        if (state == WAITS) following++;
        else peer_delivered(index, message.number(), message.nanoseconds(), message.text().size());
        state = READS;
        reader->Read(&message, this);
    }
};

static void attach(int receivers) {
    /* Kept until the process ends. */
    outgoing = new grpc::CompletionQueue;
    grpc::ChannelArguments arguments;
    /* A connection for each channel. */
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    for (int index = 0; index < receivers || index == 0; index++) {
        stubs[index] = Shop::NewStub(
            grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
        if (receivers > 0) new Follower(index);
    }
    while (following < receivers) turn(*outgoing);
}
