package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// build lets the go command write a program for the machine, and reads it. command is "build", or "test" and "-c".
func build(ctx context.Context, pkg string, command ...string) ([]byte, error) {
	file, err := os.CreateTemp("", "exact-*.wasm")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	file.Close()
	c := exec.CommandContext(ctx, "go", append(command, "-o", file.Name(), pkg)...)
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	return os.ReadFile(file.Name())
}

// machine runs one program, any number of times. It has no files, no network, no environment, and no time or chance of the
// world's.
type machine struct {
	runtime wazero.Runtime
	program wazero.CompiledModule
}

func newMachine(ctx context.Context, program []byte) (*machine, error) {
	m := &machine{runtime: wazero.NewRuntime(ctx)}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	var err error
	if m.program, err = m.runtime.CompileModule(ctx, program); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

func (m *machine) close(ctx context.Context) error { return m.runtime.Close(ctx) }

// run is what the program prints, with these arguments and this chance; and whether it has exited with 0.
func (m *machine) run(ctx context.Context, chance uint64, args ...string) (printed []byte, ok bool, err error) {
	var out bytes.Buffer
	var seed [32]byte
	for i := range 8 {
		seed[i] = byte(chance >> (8 * i))
	}
	config := wazero.NewModuleConfig().WithName("").WithStdout(&out).WithStderr(&out).
		WithRandSource(rand.NewChaCha8(seed)).WithArgs(append([]string{"program"}, args...)...)
	module, err := m.runtime.InstantiateModule(ctx, m.program, config)
	if err == nil {
		err = module.Close(ctx)
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return out.Bytes(), exit.ExitCode() == 0, nil
	}
	return out.Bytes(), true, err
}
