package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The same change in many facts is one line, with their number and with what was asked in them alone.
func TestDifferencesAreGrouped(t *testing.T) {
	p := program{name: "cells", class: "CellFacts", key: []string{"code", "state", "static"}}
	was := factsOf("4.3.1",
		`{"code":"A","state":"STABLE","static":false,"future":"success"}`,
		`{"code":"A","state":"STABLE","static":true,"future":"success"}`,
		`{"code":"A","state":"UNJOINED","static":false,"future":"success"}`,
		`{"code":"A","state":"UNJOINED","static":true,"future":"success"}`,
		`{"code":"B","state":"STABLE","static":false,"future":"success","after":{"generation":5,"sent":[]}}`,
		`{"code":"C","state":"STABLE","static":false,"future":"success"}`,
	)
	is := factsOf("4.2.1",
		`{"code":"A","state":"UNJOINED","static":true,"future":"success"}`, // the order does not matter
		`{"code":"A","state":"STABLE","static":false,"future":"failure"}`,
		`{"code":"A","state":"STABLE","static":true,"future":"failure"}`,
		`{"code":"A","state":"UNJOINED","static":false,"future":"success"}`,
		`{"code":"B","state":"STABLE","static":false,"future":"success","after":{"sent":["Heartbeat"]}}`,
		`{"code":"D","state":"STABLE","static":false,"future":"success"}`,
	)
	said, err := compareFacts(p, was, is)
	require.NoError(t, err)
	require.Equal(t, `cells: Kafka 4.3.1 has 6 facts, Kafka 4.2.1 has 6; 2 are the same
	2: future "success" → "failure"
		code: A; state: STABLE
	1: after.generation 5 → nothing, after.sent [] → ["Heartbeat"]
		code: B; state: STABLE; static: false
	1: only Kafka 4.3.1 has it
		code: C; state: STABLE; static: false
	1: only Kafka 4.2.1 has it
		code: D; state: STABLE; static: false
`, said)

	said, err = compareFacts(p, was, was)
	require.NoError(t, err)
	require.Equal(t, "cells: Kafka 4.3.1 has 6 facts, Kafka 4.3.1 has 6; 6 are the same\n", said)

	_, err = compareFacts(program{name: "cells", class: "CellFacts", key: []string{"code"}}, was, is)
	require.ErrorContains(t, err, `cells.ndjson.gz: line 3: asked twice: "A"; the key of the program does not say all that it asks`)
}

// Without a key, facts on the same line are compared.
func TestFactsWithoutKey(t *testing.T) {
	said, err := compareFacts(program{name: "lives", class: "LifeFacts"}, factsOf("4.3.1", `{"a":1}`, `{"a":1}`), factsOf("4.3.0", `{"a":1}`, `{"a":2}`, `{"a":3}`))
	require.NoError(t, err)
	require.Equal(t, `lives: Kafka 4.3.1 has 2 facts, Kafka 4.3.0 has 3; 1 are the same
	1: a 1 → 2
		line: 3
	1: only Kafka 4.3.0 has it
		line: 4
`, said)
}

// Of many values there is only the number.
func TestManyValues(t *testing.T) {
	p := program{name: "cells", class: "CellFacts", key: []string{"n", "x"}}
	var was, is []string
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		was = append(was, `{"n":`+n+`,"x":1,"a":1}`, `{"n":`+n+`,"x":2,"a":1}`)
		is = append(is, `{"n":`+n+`,"x":1,"a":2}`, `{"n":`+n+`,"x":2,"a":1}`)
	}
	was, is = append(was, `{"n":10,"x":1,"a":1}`), append(is, `{"n":10,"x":1,"a":1}`)
	said, err := compareFacts(p, factsOf("4.3.1", was...), factsOf("4.2.1", is...))
	require.NoError(t, err)
	require.Contains(t, said, "\t9: a 1 → 2\n\t\tn: 9 of 10 values; x: 1\n")
}

// What javac says becomes a line for each error, each once, with the programs that need what is missing.
func TestWhatHasMoved(t *testing.T) {
	says := compilerErrors(`/tmp/x/src/org/apache/kafka/clients/consumer/internals/Fixture.java:217: error: cannot find symbol
    static final class InertThread extends BaseHeartbeatThread {
                                           ^
  symbol:   class BaseHeartbeatThread
  location: class Fixture
/tmp/x/src/org/apache/kafka/clients/consumer/internals/Fixture.java:89: error: no suitable constructor found for GroupRebalanceConfig(int,<null>)
        GroupRebalanceConfig config = new GroupRebalanceConfig(SESSION_MS, null);
                                      ^
    constructor GroupRebalanceConfig.GroupRebalanceConfig(AbstractConfig,ProtocolType) is not applicable
      (argument mismatch; int cannot be converted to AbstractConfig)
    constructor GroupRebalanceConfig.GroupRebalanceConfig(int,boolean) is not applicable
      (argument mismatch; <null> cannot be converted to boolean)
2 errors
`)
	require.Equal(t, "Fixture.java:217: cannot find symbol; symbol: class BaseHeartbeatThread; location: class Fixture\n"+
		"Fixture.java:89: no suitable constructor found for GroupRebalanceConfig(int,<null>); there is: GroupRebalanceConfig(AbstractConfig,ProtocolType); there is: GroupRebalanceConfig(int,boolean)", says)
	require.Equal(t, "error: release version 17 not supported", compilerErrors("error: release version 17 not supported\n"), "what is no error in a file is said as it is")

	var m missing
	m.add(program{name: "cells"}, "Cell.java:1: x\nFixture.java:2: y")
	m.add(program{name: "loop"}, "Fixture.java:2: y\nFixture.java:2: y")
	require.Equal(t, "cells, loop: Kafka 4.0.0 has not what they are compiled with\n\tFixture.java:2: y\n"+
		"cells: Kafka 4.0.0 has not what they are compiled with\n\tCell.java:1: x\n", m.report("4.0.0"))
	require.Empty(t, missing(nil).report("4.0.0"))
}

func TestException(t *testing.T) {
	require.Equal(t, "Exception in thread \"main\" java.lang.IllegalStateException: this version of Kafka has no field Timer.x at Internals.field(Internals.java:37); "+
		"Caused by: java.lang.NoSuchFieldException: x", exception(`Exception in thread "main" java.lang.IllegalStateException: this version of Kafka has no field Timer.x
	at java.base/java.util.concurrent.ConcurrentHashMap.computeIfAbsent(ConcurrentHashMap.java:1708)
	at org.apache.kafka.clients.consumer.internals.Internals.field(Internals.java:37)
	at org.apache.kafka.clients.consumer.internals.CellFacts.main(CellFacts.java:12)
Caused by: java.lang.NoSuchFieldException: x
	at java.base/java.lang.Class.getDeclaredField(Class.java:2610)
	... 8 more
`))
}
