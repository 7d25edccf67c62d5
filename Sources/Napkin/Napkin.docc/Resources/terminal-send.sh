.build/debug/kettle-client send kettle kettle.kettle 'didTapSwitch()'
