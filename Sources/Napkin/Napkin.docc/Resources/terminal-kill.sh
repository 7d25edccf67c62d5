pkill -9 napkind
pkill -9 kettle-worker
