.build/debug/kettle-client attach kettle
