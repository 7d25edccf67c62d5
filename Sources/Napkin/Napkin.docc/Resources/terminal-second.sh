cd ~/Kettle
napkin-client new feature Tea --push --arguments cups:Int
