napkin-client crash ls
napkin-client crash show kettle 2
