package vp

import (
	"math"
	"time"

	"lockstep/vp/machine"
)

// progress is what one worker did in a solution phase.
type progress struct {
	most     int32 // tasks of its busiest processor
	tasks    int64
	grain    int32         // tasks between two looks at the other workers
	calls    int           // of grain tasks, between two readings of the clock
	shortest float64       // iteration, in seconds
	began    time.Duration // when the first task began, and the last ended; 0 without tasks
	ended    time.Duration
	left     preemption // after the last task

	interrupted bool     // since the phase before
	_           [64]byte // workers write theirs at the same time
}

// preemption says which thread a worker was on, and how often the system had taken it off
// its core though there was work.
type preemption struct {
	thread, times int
}

// wake makes workers that sleep look for work, since waking takes longer than any look.
func (l *loop) wake() {
	switch {
	case l.opts.Balance == nil:
	case l.opts.Machine == nil:
		l.workers[0].left = l.preempted()
	default:
		l.opts.Machine.Run(func(worker int) { l.workers[worker].left = l.preempted() })
	}
}

// preempted asks the system, unless nobody wants times or the clock is not the system's.
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

// since reports whether the system took the worker's thread off its core in between. Of
// workers that have changed threads nothing is known.
func (p preemption) since(before preemption) bool {
	return p.thread == before.thread && p.times != before.times
}

// regrain follows the time that tasks take.
func (w *progress) regrain(took time.Duration) {
	switch {
	case took < clockEvery/2 && w.calls < looksPerClock:
		w.calls *= 2
	case took < clockEvery/2 && w.grain < 1<<20:
		w.grain *= 2
	case took > 2*clockEvery && w.grain > 1:
		w.grain /= 2
	case took > 2*clockEvery && w.calls > 1:
		w.calls /= 2
	}
}

func perTask(took time.Duration, tasks int32) float64 {
	if tasks == 0 {
		return math.Inf(1)
	}
	return took.Seconds() / float64(tasks)
}

// report traces the phases and tells the balancer their times.
//
// A look costs the time from the last task before it to the decision, a redistribution
// from there to the first task of the worker that begins last. Where the system took a
// worker's core away meanwhile, neither is known.
func (l *loop) report() {
	began, ended, shortest, interrupted := time.Duration(0), time.Duration(0), math.Inf(1), false
	for w := range l.workers {
		p := &l.workers[w]
		if p.tasks > 0 {
			began, ended, shortest = max(began, p.began), max(ended, p.ended), min(shortest, p.shortest)
			interrupted = interrupted || p.interrupted
		}
	}
	if l.looked {
		gather, redistribution := (l.decided - l.stopped).Seconds(), 0.0
		if l.step.Redistributed {
			redistribution = (began - l.decided).Seconds()
		}
		if interrupted {
			gather, redistribution = 0, 0
			l.stats.Interrupted++
		}
		l.opts.Balance.Timed(gather, redistribution, shortest)
	}
	l.stopped = ended
	if l.opts.Trace != nil {
		l.opts.Trace(l.step)
	}
}
