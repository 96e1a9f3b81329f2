package broker

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a process that ends no later than ours.
type process struct {
	os    *os.Process
	ended chan struct{} // closed when it is no more
}

// launch starts a process and does not wait for anything that it does.
func launch(cmd *exec.Cmd) (*process, error) {
	dieWithParent(cmd)
	p := &process{ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the signal of dieWithParent when the thread that started the process ends, so that thread is
		// kept for as long as the process lives.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.os = cmd.Process
	return p, nil
}

// kill ends the process and waits until it is gone.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

func (p *process) signal(s syscall.Signal) {
	_ = p.os.Signal(s) // fails only when the process is gone
}
