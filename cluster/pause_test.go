package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A leavingDrawer takes part in shared jobs for a while and then fails.
type leavingDrawer struct {
	Drawer
	takesPart time.Duration
}

func (d *leavingDrawer) DrawShared(context.Context, Job, string) error {
	time.Sleep(d.takesPart)
	return errors.New("lost")
}

// TestPauseAfterTakingPart checks a node that cannot take part in a shared job. Its pauses double. They are short again
// after the node has taken part for longer than the longest pause.
func TestPauseAfterTakingPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(leavingDrawer)
		n := &node{drawer: d, openAfter: map[string]time.Time{}}
		for _, c := range []struct{ takesPart, want time.Duration }{
			{0, openPause}, {0, 2 * openPause}, {openPauseMost / 2, 4 * openPause}, {2 * openPauseMost, openPause}, {0, 2 * openPause},
		} {
			d.takesPart = c.takesPart
			if _, err := n.drawShared(t.Context(), t.Context(), Job{ID: "a"}); err == nil {
				t.Fatal("no error")
			}
			if got := time.Until(n.openAfter["a"]); got != c.want {
				t.Errorf("a pause of %v after taking part for %v, want %v", got, c.takesPart, c.want)
			}
		}
	})
}
