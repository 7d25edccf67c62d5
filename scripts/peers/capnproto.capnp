# capnproto: the messages of the measures, for Cap'n Proto.
@0xb5c3e0a6d1f29487;

struct Item {
  id @0 :Int64;
  name @1 :Text;
  quantity @2 :Int32;
  price @3 :Float64;
  tags @4 :List(Text);
}

struct Receipt {
  ok @0 :Bool;
  count @1 :Int64;
}

struct Stamp {
  number @0 :Int64;
  nanoseconds @1 :UInt64;
  text @2 :Text;
}

interface Receiver {
  push @0 (stamp :Stamp) -> stream;
}

interface Shop {
  add @0 (item :Item) -> (receipt :Receipt);
  follow @1 (receiver :Receiver) -> ();
  ask @2 () -> ();
}
