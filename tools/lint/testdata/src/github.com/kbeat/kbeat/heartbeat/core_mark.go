package heartbeat

//kbeat:pure

func marked() {}
