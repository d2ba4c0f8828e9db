package vp

import (
	"math"
	"time"

	"lockstep/vp/machine"
)

// progress describes the work of one worker in a solution phase.
type progress struct {
	most           int32 // number of tasks of the worker's busiest processor
	tasks          int64
	tasksPerCheck  int32         // number of tasks between two checks whether another worker has no tasks left
	checksPerClock int           // number of such checks between two readings of the clock
	shortest       float64       // shortest time of an iteration, in seconds; for a race, see leftIterationTime
	began          time.Duration // time at which the first task began; 0 without tasks
	ended          time.Duration
	preemptions    preemption // preemptions of the thread, read after the last task

	windowTasks int32 // number of tasks in the current window of a race, see windowLeast
	windowTime  time.Duration

	interrupted bool     // the system has taken the worker off its core since the previous phase
	_           [64]byte // keeps the elements of two workers out of one cache line
}

// preemption is the number of times that the system has taken a thread off its core although the thread had work.
type preemption struct {
	thread, times int
}

// wake wakes the workers before the loop starts, and records their preemptions. Otherwise the measured time of the
// first check would include the time to wake the workers, which is longer than any check.
func (l *loop) wake() {
	switch {
	case l.opts.Balance == nil:
	case l.opts.Machine == nil:
		l.workers[0].preemptions = l.preempted()
	default:
		l.opts.Machine.Run(func(worker int) { l.workers[worker].preemptions = l.preempted() })
	}
}

// preempted returns the calling thread's preemptions. It returns zeros if no balancer needs times, or if the loop has
// a clock other than the system's.
func (l *loop) preempted() preemption {
	o := &l.opts
	switch {
	case o.Balance == nil:
		return preemption{}
	case o.Preempted != nil:
		thread, times := o.Preempted()
		return preemption{thread, times}
	case o.Machine == nil || o.Clock != nil:
		return preemption{}
	}
	thread, times := machine.Preempted()
	return preemption{thread, times}
}

// since reports whether the system has taken the worker's thread off its core since earlier was read. Counts of
// different threads cannot be compared, so it returns false if the worker has changed threads.
func (p preemption) since(earlier preemption) bool {
	return p.thread == earlier.thread && p.times != earlier.times
}

// adaptGrain adapts the number of tasks between two readings of the clock, to keep the interval near clockEvery. took
// is the time between the last two readings.
func (w *progress) adaptGrain(took time.Duration) {
	switch {
	case took < clockEvery/2 && w.checksPerClock < checksPerClock:
		w.checksPerClock *= 2
	case took < clockEvery/2 && w.tasksPerCheck < 1<<20:
		w.tasksPerCheck *= 2
	case took > 2*clockEvery && w.tasksPerCheck > 1:
		w.tasksPerCheck /= 2
	case took > 2*clockEvery && w.checksPerClock > 1:
		w.checksPerClock /= 2
	}
}

// windowLeast is the least length of a window: a time over which a race averages the times of its tasks. Tasks of one
// problem may differ by a factor of a hundred, and one short task does not tell how long the remaining ones take.
const windowLeast = 100 * time.Microsecond

// addToWindow adds the time of some tasks to the worker's window. It ends the window once it is as long as windowLeast.
func (w *progress) addToWindow(took time.Duration, tasks int32) {
	w.windowTime, w.windowTasks = w.windowTime+took, w.windowTasks+tasks
	if w.windowTime >= windowLeast && w.windowTasks > 0 {
		w.shortest = min(w.shortest, perTask(w.windowTime, w.windowTasks))
		w.windowTime, w.windowTasks = 0, 0
	}
}

// newWindows starts new windows after a redistribution, because workers then have other tasks.
func (l *loop) newWindows() {
	if !l.isRace() {
		return
	}
	for i := range l.workers {
		w := &l.workers[i]
		w.shortest, w.windowTime, w.windowTasks = math.Inf(1), 0, 0
	}
}

// leftIterationTime returns an estimate of the shortest time, in seconds, of an iteration of the tasks that are left.
//
// In lockstep, it is the shortest time of any iteration so far. In a race (see isRace), it is the first of these that
// exists:
//
//   - the shortest mean time of a task in a complete window since the last redistribution
//   - the result of the previous call that came from a complete window
//   - the shortest mean time of a task in a window that has only begun
//
// Only workers with tasks left count, because tasks of other workers may take other times. If none of them has a time,
// all workers count.
func (l *loop) leftIterationTime() float64 {
	if !l.isRace() {
		for w := range l.workers {
			l.shortest = min(l.shortest, l.workers[w].shortest)
		}
		return l.shortest
	}
	windows, begun := l.shortestMeans(func(tasks int32) bool { return tasks > 0 })
	if math.IsInf(min(windows, begun), 1) { // no worker with tasks left has a time
		windows, begun = l.shortestMeans(func(int32) bool { return true })
	}
	switch {
	case !math.IsInf(windows, 1):
		l.shortest = windows
	case math.IsInf(l.shortest, 1):
		return begun
	}
	return l.shortest
}

// shortestMeans returns the shortest mean time of a task in seconds: over complete windows, and over windows that have
// only begun. It uses only workers for which wanted(n) is true, where n is the number of tasks that the worker has
// left.
func (l *loop) shortestMeans(wanted func(tasks int32) bool) (windows, begun float64) {
	windows, begun = math.Inf(1), math.Inf(1)
	for i, tasks := range l.array.loads() {
		if w := &l.workers[i]; wanted(tasks) {
			windows, begun = min(windows, w.shortest), min(begun, perTask(w.windowTime, w.windowTasks))
		}
	}
	return windows, begun
}

func perTask(took time.Duration, tasks int32) float64 {
	if tasks == 0 {
		return math.Inf(1)
	}
	return took.Seconds() / float64(tasks)
}

// report traces the phases and tells the balancer their times.
//
// The time of a check runs from the last task before it to the decision. The time of a redistribution runs from the
// decision to the first task of the worker that starts last. Both times are unknown if the system took a worker off its
// core meanwhile.
func (l *loop) report() {
	began, ended, interrupted := time.Duration(0), time.Duration(0), false
	for w := range l.workers {
		p := &l.workers[w]
		if p.tasks > 0 {
			began, ended = max(began, p.began), max(ended, p.ended)
			interrupted = interrupted || p.interrupted
		}
	}
	if l.looked {
		t := Timing{Solution: l.leftIterationTime()}
		if interrupted {
			l.stats.Interrupted++
		} else {
			t.Gather = (l.decided - l.stopped).Seconds()
			if l.step.Redistributed {
				t.Redistribution = (began - l.decided).Seconds()
			}
		}
		l.opts.Balance.Timed(t)
	}
	l.stopped = ended
	if l.opts.Trace != nil {
		l.opts.Trace(l.step)
	}
}
