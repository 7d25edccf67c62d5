make install CONF=debug
napkin-client attach kettle
