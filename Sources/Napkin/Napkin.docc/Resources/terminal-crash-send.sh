make install CONF=debug
napkin-client send kettle kettle.kettle 'fill(cups:)' 1 --create
napkin-client send kettle kettle.kettle 'fill(cups:)' 9223372036854775807
napkin-client send kettle kettle.kettle 'fill(cups:)' 1
