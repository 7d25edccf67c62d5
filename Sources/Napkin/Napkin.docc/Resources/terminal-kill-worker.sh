pkill -9 kettle-worker
