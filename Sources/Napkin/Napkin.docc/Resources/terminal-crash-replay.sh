napkin-client crash replay kettle 2
