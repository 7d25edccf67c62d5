%% erlang_peer: the measures with Erlang, between two nodes on this machine.
%%
%% As peer.h has them. Messages are terms, which the nodes encode and decode; calls are plain
%% messages with a number, cheaper than gen_server:call, which monitors. All receivers are processes
%% of one node.
%% Source   the Erlang/OTP manual: Distributed Erlang; peer(3)
-module(erlang_peer).
-export([main/1, serve/1]).

-define(BURST, 250).
-define(BURSTS_TOGETHER, 4).
-define(TEXT, <<"0123456789012345678901234567890123456789012345678901234567890123456789"
    "01234567890123456789012345678901234567890123456789012345678901234567890123">>).

main([Kind, NumberText, SecondsText, Port, Code]) ->
    {ok, Peer, Node} = peer:start_link(#{
        name => server, host => "localhost", connection => standard_io,
        args => ["-pa", Code, "-start_epmd", "false", "-erl_epmd_port", Port,
            "-kernel", "inet_dist_use_interface", "{127,0,0,1}" | flags()]}),
    true = net_kernel:connect_node(Node),
    Number = list_to_integer(NumberText),
    Seconds = list_to_float(SecondsText),
    Line = case Kind of
        "calls" ->
            Server = spawn(Node, ?MODULE, serve, [[]]),
            {Count, _, _} = calls(Server, Number, Seconds / 5, 0),
            {_, Latencies, Rate} = calls(Server, Number, Seconds, Count),
            Median = lists:nth((length(Latencies) + 1) div 2, lists:sort(Latencies)),
            case Number of
                1 -> io_lib:format("{\"p50_us\":~.2f,\"per_s\":~b}", [Median / 1000, Rate]);
                _ -> io_lib:format("{\"per_s\":~b}", [Rate])
            end;
        "push" ->
            Others = [spawn_link(fun() -> follow(0) end) || _ <- lists:seq(2, Number)],
            Server = spawn(Node, ?MODULE, serve, [[self() | Others]]),
            {State, _} = pushes(Server, Others, Seconds / 5, {0, 0, 0}),
            {_, Rate} = pushes(Server, Others, Seconds, State),
            io_lib:format("{\"per_s\":~b}", [Rate])
    end,
    io:format("~s~n", [Line]),
    peer:stop(Peer),
    halt(0, [{flush, true}]).

%% Schedulers that wait sleep at once: the other node is on the same processor.
flags() -> ["+S", "1", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"].

now_ns() -> erlang:monotonic_time(nanosecond).

rate(Count, Start) -> round(Count * 1.0e9 / (now_ns() - Start)).

%% The side that is called.

serve(Receivers) -> serve(Receivers, 0, 0).

serve(Receivers, Count, Pushed) ->
    receive
        {add, From, Call, {item, Id, Name, Quantity, Price, Tags}} ->
            Ok = Id =:= 1 andalso byte_size(Name) =:= 24 andalso Price =:= 18.75
                andalso length(Tags) =:= 2,
            From ! {receipt, Call, Ok, Count + Quantity},
            serve(Receivers, Count + Quantity, Pushed);
        {ask, From} ->
            push(Receivers, Pushed + 1, Pushed + ?BURST, now_ns()),
            From ! asked,
            serve(Receivers, Count, Pushed + ?BURST)
    end.

push(_, Number, Last, _) when Number > Last -> ok;
push(Receivers, Number, Last, Time) ->
    Stamp = {stamp, Number, Time, ?TEXT},
    lists:foreach(fun(Receiver) -> Receiver ! Stamp end, Receivers),
    push(Receivers, Number + 1, Last, Time).

%% Calls: so many in flight until the time is over. Returns the count, and each call's time.

calls(Server, Number, Seconds, Count) ->
    Start = now_ns(),
    lists:foreach(fun(Call) -> add(Server, Call) end, lists:seq(1, Number)),
    End = Start + round(Seconds * 1.0e9),
    {Last, Latencies} = answers(Server, Number, End, Start, Count, []),
    {Last, Latencies, rate((Last - Count) div 3, Start)}.

add(Server, Call) ->
    Item = {item, 1, <<"smoked brisket, sliced..">>, 3, 18.75, [<<"smokebox">>, <<"takeaway">>]},
    Server ! {add, self(), Call, Item}.

answers(_, 0, _, _, Count, Latencies) -> {Count, Latencies};
answers(Server, InFlight, End, Called, Count, Latencies) ->
    receive
        {receipt, Call, true, Next} when Next =:= Count + 3 ->
            case now_ns() of
                Time when Time < End ->
                    add(Server, Call),
                    answers(Server, InFlight, End, Time, Next, [Time - Called | Latencies]);
                _ ->
                    answers(Server, InFlight - 1, End, Called, Next, Latencies)
            end
    end.

%% Pushes: the first receiver asks for them. The state is what was asked, answered and received.

pushes(Server, Others, Seconds, {_, _, Before} = State) ->
    Start = now_ns(),
    {_, _, Last} = After = ask(Server, Start + round(Seconds * 1.0e9), State),
    lists:foreach(fun(Other) -> Other ! {until, Last, self()} end, Others),
    lists:foreach(fun(Other) -> receive {all, Other} -> ok end end, Others),
    {After, rate((Last - Before) * (1 + length(Others)), Start)}.

ask(Server, End, {Asked, Answered, Received} = State) ->
    Free = Asked - min(Answered, Received div ?BURST) < ?BURSTS_TOGETHER andalso now_ns() < End,
    if
        Free ->
            Server ! {ask, self()},
            ask(Server, End, {Asked + 1, Answered, Received});
        Asked =:= Answered, Received =:= Asked * ?BURST ->
            State;
        true ->
            take(Server, End, State)
    end.

take(Server, End, {Asked, Answered, Received}) ->
    receive
        asked ->
            ask(Server, End, {Asked, Answered + 1, Received});
        {stamp, Number, Time, Text} when
            Number =:= Received + 1, is_integer(Time), byte_size(Text) =:= 144 ->
            case Number rem ?BURST of
                0 -> ask(Server, End, {Asked, Answered, Number});
                _ -> take(Server, End, {Asked, Answered, Number})
            end
    end.

follow(Received) ->
    receive
        {stamp, Number, Time, Text} when
            Number =:= Received + 1, is_integer(Time), byte_size(Text) =:= 144 ->
            follow(Number);
        {until, Received, From} ->
            From ! {all, self()},
            follow(Received)
    end.
