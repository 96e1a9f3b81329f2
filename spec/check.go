package spec

// check holds the resolved machine against what every machine keeps.
func (r *reader) check() {}
