.build/debug/napkin-client new app Kettle --directory ../Kettle
cd ../Kettle
