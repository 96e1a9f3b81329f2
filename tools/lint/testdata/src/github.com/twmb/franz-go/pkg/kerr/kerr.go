package kerr

type Error struct{ Code int16 }

var IllegalGeneration = &Error{22}

func ErrorForCode(int16) error { return nil }
