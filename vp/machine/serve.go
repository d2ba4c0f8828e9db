package machine

import "runtime"

// serve is the goroutine of one worker of the team. It pins its thread, calls ready, and then runs every function that
// Run hands out until Close stops it.
func (m *Machine) serve(index int, ready func()) {
	defer m.ended.Done()
	var own affinity
	pinned := m.cores != nil && m.pinTeam(index, &own)
	ready()
	m.loop(index, pinned)
	if !pinned {
		return
	}
	// A thread whose mask cannot be restored must not run other goroutines. So the goroutine ends while it is locked to
	// the thread, and the thread ends with it.
	if own.restore() == nil {
		runtime.UnlockOSThread()
	}
}

// pinTeam locks the calling goroutine to its thread and pins the thread. If the thread cannot be pinned, it unlocks the
// goroutine again and returns false.
func (m *Machine) pinTeam(index int, own *affinity) bool {
	runtime.LockOSThread()
	if err := own.pin(m.cores[index]); err != nil {
		runtime.UnlockOSThread()
		m.notePinError(index, err)
		return false
	}
	m.pinned.Add(1)
	return true
}

func (m *Machine) loop(index int, pinned bool) {
	w := &m.team[index-1]
	for {
		w.start.wait(m.spin)
		w.start.reset()
		if w.stop {
			return
		}
		m.runOnce(index, pinned)
	}
}

// runOnce runs the current function and reports to the machine that the function has ended, however it ended.
func (m *Machine) runOnce(index int, pinned bool) {
	returned := false
	defer func() {
		if !returned {
			m.replace(index, pinned)
		}
		if m.pending.Add(-1) == 0 {
			m.done.open()
		}
	}()
	m.call(index, m.fn)
	returned = true
}

// replace starts a new goroutine for a worker whose function called runtime.Goexit. A Goexit cannot be stopped, so the
// old goroutine ends.
func (m *Machine) replace(index int, pinned bool) {
	if pinned {
		m.pinned.Add(-1)
	}
	m.ended.Add(1)
	ready := make(chan struct{})
	go m.serve(index, func() { close(ready) })
	<-ready
}
