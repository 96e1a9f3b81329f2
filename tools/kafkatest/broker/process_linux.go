package broker

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the process when ours dies, in whatever way.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
