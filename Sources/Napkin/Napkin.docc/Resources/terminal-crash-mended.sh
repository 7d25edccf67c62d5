make test
napkin-client crash replay kettle 2 --program .build/debug/kettle-worker
make install CONF=debug
napkin-client upgrade kettle
