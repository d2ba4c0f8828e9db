package tables

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"lockstep/bench/internal/racetest"
)

func TestMeasureCores(t *testing.T) {
	racetest.Alone(t)
	if runtime.GOMAXPROCS(0) < 2 {
		var c StepCosts
		if err := c.measureCores(t.Context(), 3, 0); !errors.Is(err, errOneCore) {
			t.Errorf("error %v", err)
		}
		return
	}
	var c StepCosts
	if err := c.measureCores(t.Context(), 3, 0); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]PhaseCost{"hop": c.Hop, "barrier": c.Barrier, "polygon": c.Scan.Data, "span": c.ZBuffer.Data} {
		if !(p.Shortest > 0 && p.Shortest <= p.Typical && p.Typical <= p.Longest) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if err := c.measureCores(t.Context(), 3, 7*time.Nanosecond); err != nil || c.Hop != (PhaseCost{7, 7, 7}) {
		t.Errorf("given hop %+v, error %v", c.Hop, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.measureCores(ended, 3, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestCoresWork checks that messages arrive and data are delivered.
func TestCoresWork(t *testing.T) {
	var p pingPong
	done := make(chan struct{})
	go func() { p.play(1); close(done) }()
	p.play(0)
	<-done
	if got := p.word.Load(); got != 2*hopRounds {
		t.Errorf("%d messages", got)
	}
	d := newDelivery[spanData]()
	d.from[5][3] = 9
	if d.copy(0); d.to[5][3] != 9 {
		t.Error("nothing was delivered")
	}
}
