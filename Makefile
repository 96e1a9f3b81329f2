# `make help` says what each target does. All but kafka-test, recovery and oracle need nothing but Go.

GO ?= go
# fsm/NAME is generated from spec/NAME.yaml.
MACHINES = $(patsubst fsm/%/rules_gen.go,%,$(wildcard fsm/*/rules_gen.go))
# Where a fuzz target stands: one line `folder:name` each.
FUZZ = $(shell grep -rEoH --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed -E 's|/[^/]*:func |:|' | sort)
# An input that finds something new is made smaller only a little: Go's minute for that would be all of the time.
FUZZTIME ?= 10s

.PHONY: help
help: ## say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: generate
generate: ## write all that is generated from spec/
	$(GO) generate ./...

# What holds a Core, or rules, against Kafka's facts has one goroutine, and with the race detector would take ten times as long.
PURE = ^Test(Oracle(OfCore|OfCallers|OfConsumer|ConsumerInterpreter|OfLives|OfTimers)?|CallersDiffer|LivesDiffer|TimersDiffer|LookupsAhead|LookupExcuseEnds|UnlistedAspect)$$

# The race detector needs cgo and a C compiler; where there is none, Go says that CGO_ENABLED is 0.
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
# A package's limit, and ample: Go's own of 10 minutes is too short for a slow machine that has much else to do.
TEST_TIMEOUT ?= 40m

.PHONY: test
test: ## test all that needs no other program
	$(if $(RACE),,@echo 'make test: WITHOUT the race detector: it needs cgo and a C compiler, and "$(GO) env CGO_ENABLED" is not 1' >&2)
	$(GO) test $(RACE) -timeout $(TEST_TIMEOUT) -skip '$(PURE)' ./...
	$(GO) test -timeout $(TEST_TIMEOUT) -run '$(PURE)' ./heartbeat

.PHONY: check
check: check-generated check-format check-code ## what is generated is fresh; format, vet, staticcheck, layers, modules

.PHONY: check-generated
check-generated: $(MACHINES:%=check-machine-%)
	$(GO) run ./tools/catalogue -check -o spec/catalogue/kafka.yaml

check-machine-%:
	$(GO) run ./tools/fsmgen check spec/$*.yaml -o fsm/$*

.PHONY: check-format
check-format:
	@files=$$(find . -name '*.go' -not -path '*/testdata/*' -exec gofmt -l {} +); test -z "$$files" || { echo "not as gofmt has it:"; echo "$$files"; exit 1; }

.PHONY: check-code
check-code:
	$(GO) vet -tags kafka ./...
	$(GO) tool staticcheck -tags kafka ./...
	$(GO) run ./tools/lint
	$(GO) mod tidy -diff

.PHONY: bench
bench: ## measure decisions, handlers and Core
	$(GO) test -run '^$$' -bench . -benchmem ./fsm/... ./heartbeat/...

.PHONY: mutants
mutants: ## change one cell of the tables at a time: the generated tests must see each
	$(GO) run ./tools/mutants $(ARGS)

.PHONY: specmutants
specmutants: ## change one word of the specification at a time: who notices? (ARGS="-all": every one)
	$(GO) run ./tools/specmutants $(ARGS)

.PHONY: museum
museum: ## make bugs that clients of Kafka had: the tests must kill each
	$(GO) run ./tools/museum $(ARGS)

.PHONY: slips
slips: ## make every single slip of the pen in the specification: how many does the parser let pass?
	$(GO) run ./tools/slips $(MACHINES:%=spec/%.yaml) $(wildcard spec/testdata/machines/*.yaml)

SEEDS ?= 500
WIRE_SEEDS ?= 100
.PHONY: sim
sim: ## let groups live in virtual time, disturbed by what follows from SEEDS seeds, and judge them
	$(GO) run ./tools/sim run --seeds $(SEEDS)
	cd tools/sim/wire && $(GO) test -run '^TestSeeds$$' -seeds=$(WIRE_SEEDS) -timeout 20m

.PHONY: sim-exact
sim-exact: ## play a seed of the simulation over wire bytes twice: the same bytes? (ARGS="-from=7 -o FILE")
	$(GO) run ./tools/sim/exact -minutes=1 -twice $(ARGS)

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@set -e; for f in $(FUZZ); do echo "$${f#*:} in $${f%:*}"; \
		$(GO) test -run '^$$' -fuzz "^$${f#*:}\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$${f%:*}"; done

.PHONY: kafka-test
kafka-test: ## test against real brokers (needs Java 17 and Maven)
	$(GO) test -tags kafka -count=1 -timeout 40m ./tools/kafkatest/... ./tools/sim/coordinator ./tools/oracle

.PHONY: recovery
recovery: ## measure how members come back when their coordinator fails, beside Java's and franz-go's (ARGS="-quick", "-o FILE"; needs Java 17 and Maven)
	$(GO) run ./tools/recovery $(ARGS)

# KAFKA=4.2.1: print what that version does else. LIVES=10000 SEED=7: let Kafka's client live so many lives of that seed, and a
# Core live them again. They count from the environment too, and one that has no say is refused: whoever set it would
# otherwise believe that it had.
.PHONY: oracle
ifdef LIVES
oracle:
	$(if $(KAFKA),$(error KAFKA=$(KAFKA), from the $(origin KAFKA), and LIVES=$(LIVES), from the $(origin LIVES), do not go together: lives are of the version of the pom; give one of them))
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(GO) run ./tools/oracle lives --count $(LIVES) --seed $(or $(SEED),1) --to "$$dir" && \
		ORACLE_LIVES="$$dir" $(GO) test -count=1 -v -run '^TestOracleOfFreshLives$$' ./heartbeat
else
oracle: ## ask Apache Kafka's own classes: they must say what the committed facts say (needs Java 17 and Maven)
	$(if $(SEED),$(error SEED=$(SEED), from the $(origin SEED), is what lives are drawn from: say how many, make oracle LIVES=10000 SEED=$(SEED)))
	$(GO) run ./tools/oracle $(if $(KAFKA),diff --kafka $(KAFKA),check)
endif

.PHONY: run
run: ## join a group: make run ARGS="--help"
	$(GO) run ./tools/kbeat run $(ARGS)
