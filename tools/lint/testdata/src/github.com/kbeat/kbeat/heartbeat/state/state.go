package state

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"sync"
)

var (
	ErrLeft         = errors.New("left")
	errFenced       = fmt.Errorf("fenced: %w", ErrLeft)
	word            = regexp.MustCompile(`\w`)
	_         error = error(nil)
)

//go:embed state.go
var text []byte

var names = []string{"read", "only"}

var pointer = &struct{ n int }{1}

var (
	mu      sync.Mutex           // want `mu is a variable of the package whose value is made at run time`
	count   int                  // want `count is state of the package: something writes to it`
	cache   = map[string]int{}   // want `cache is state of the package`
	list    = []int{1}           // want `list is state of the package`
	first   = [2]int{}           // want `first is state of the package`
	config  = struct{ n int }{1} // want `config is state of the package`
	host, _ = os.Hostname()      // want `host is a variable of the package whose value is made at run time`
	Limit   = 3                  // want `Limit can be changed by every importer; export a function or a constant`
	Names   = []string{"a"}      // want `Names can be changed by every importer`
	errLate = errors.New("late") // want `errLate is state of the package`
	gone    = map[string]int{}   // want `gone is state of the package`
)

func init() { // want `init runs in every program that imports the package, unasked`
	count++
}

func write() {
	cache["a"] = 1
	list[0], errLate = 2, nil
	use(&first[0])
	config.n = 2
	delete(gone, "a")
	_ = rand.IntN(3) // want `rand.IntN draws from the source of the whole process`
	_ = rand.New(rand.NewPCG(1, 2)).IntN(3)
	names := names // a copy of its own
	names = append(names, "")
}

func use(*int) {}

type method struct{}

func (method) init() {}
