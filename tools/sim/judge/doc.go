// Package judge reports whether the members of a group behave: it is told what is seen of them, event by event, and holds it
// against the invariants. It knows neither who drives the members nor who coordinates them, so that one judge serves
// every simulation.
//
//	j := judge.New(judge.Settings{})
//	for e := range events { // in order of time
//		j.See(e)
//	}
//	j.End(10 * time.Minute)
//	for _, v := range j.Violations() {
//		fmt.Println(v)
//	}
//
// It reads no clock, and the same events give the same words.
package judge
