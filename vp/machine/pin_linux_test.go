package machine

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func threadMask(t *testing.T) unix.CPUSet {
	t.Helper()
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		t.Error(err)
	}
	return mask
}

func TestEveryWorkerHasACoreOfItsOwn(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadMask(t)
	m := New(Options{Workers: before.Count()})
	defer m.Close()
	if m.PinError() != nil || m.Pinned() != m.Workers() {
		t.Fatalf("%d of %d workers pinned: %v", m.Pinned(), m.Workers(), m.PinError())
	}
	masks := make([]unix.CPUSet, m.Workers())
	m.Run(func(worker int) { masks[worker] = threadMask(t) })
	var all unix.CPUSet
	for worker, mask := range masks {
		if mask.Count() != 1 {
			t.Errorf("worker %d may run on %d cores", worker, mask.Count())
		}
		for core := range len(mask) * 64 {
			if mask.IsSet(core) {
				if all.IsSet(core) {
					t.Errorf("two workers are pinned to core %d", core)
				}
				all.Set(core)
			}
		}
	}
	if all != before {
		t.Errorf("the workers' cores are %v, the process may use %v", all, before)
	}
	if after := threadMask(t); after != before {
		t.Errorf("the caller's mask was %v and is %v after Run", before, after)
	}
}

func TestNoPinAndOversubscription(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadMask(t)
	for _, opts := range []Options{{Workers: 1, NoPin: true}, {Workers: before.Count() + 1}} {
		m := New(opts)
		masks := make([]unix.CPUSet, m.Workers())
		m.Run(func(worker int) { masks[worker] = threadMask(t) })
		for worker, mask := range masks {
			if mask != before {
				t.Errorf("%+v: worker %d has mask %v, the process %v", opts, worker, mask, before)
			}
		}
		if m.Pinned() != 0 || m.PinError() != nil {
			t.Errorf("%+v: %d workers pinned, error %v", opts, m.Pinned(), m.PinError())
		}
		m.Close()
	}
}

// TestPinningRefused checks that a machine reports a system that refuses to pin a worker, and still works. The system
// refuses here because the cores do not exist.
func TestPinningRefused(t *testing.T) {
	m := &Machine{workers: 2, cores: []int{1023, 1022}}
	m.start()
	defer m.Close()
	if m.PinError() == nil || m.Pinned() != 0 {
		t.Errorf("%d workers pinned, error %v", m.Pinned(), m.PinError())
	}
	calls := make([]int, 2)
	m.Run(func(worker int) { m.Sync(); calls[worker]++ })
	if calls[0] != 1 || calls[1] != 1 {
		t.Errorf("calls: %v", calls)
	}
}

// TestCloseRestoresMasks checks that the threads of closed machines get their earlier affinity masks back.
func TestCloseRestoresMasks(t *testing.T) {
	before := threadMask(t)
	for range 10 {
		m := New(Options{})
		m.Run(func(int) {})
		m.Close()
	}
	for range 50 {
		seen := make(chan unix.CPUSet)
		for range 4 {
			go func() { seen <- threadMask(t) }()
		}
		for range 4 {
			if mask := <-seen; mask != before {
				t.Fatalf("a goroutine runs with mask %v, the process has %v", mask, before)
			}
		}
	}
}
