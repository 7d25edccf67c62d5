pkill -9 kettled
