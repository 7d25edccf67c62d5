napkin-client send kettle kettle.kettle 'didTapSwitch()'
