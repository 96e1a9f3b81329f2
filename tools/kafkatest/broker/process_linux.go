package broker

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// dieWithParent has the kernel kill the process when ours dies, in whatever way.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// stopped reports whether all threads stand still: after SIGSTOP a busy machine lets some of them run for a moment.
func (p *process) stopped() bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.os.Pid))
	return !slices.ContainsFunc(threads, func(path string) bool {
		stat, err := os.ReadFile(path) // 41 (a name) T …
		name := bytes.LastIndexByte(stat, ')')
		return err == nil && !bytes.HasPrefix(stat[name+1:], []byte(" T"))
	})
}
