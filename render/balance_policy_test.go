package render_test

import (
	"bytes"
	"testing"

	"lockstep/render"
)

// TestBalanceFromFrameToFrame changes the policy from frame to frame. Each frame must have the counts of a renderer
// that was made with its policy.
func TestBalanceFromFrameToFrame(t *testing.T) {
	mesh := generated(t, "scene:slivers?triangles=5000")
	o := render.Options{Width: 300, Height: 300, Workers: 1}
	cam := fitted(t, mesh, o, iso)
	shared := newRenderer(t, o)
	for _, policy := range []render.Balance{render.BalanceNever, render.BalanceAlways, render.BalanceCost, render.BalanceNever} {
		o.Balance = policy
		want, wantStats := drawn(t, mesh, cam, o)
		next := shared.Options()
		next.Balance = policy
		if err := shared.SetOptions(next); err != nil {
			t.Fatal(err)
		}
		var pic render.Picture
		stats, err := shared.Frame(t.Context(), mesh, cam, &pic)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Loops != wantStats.Loops {
			t.Errorf("policy %v: %+v, want %+v", policy, stats.Loops, wantStats.Loops)
		}
		if (stats.Loops[0].Redistributions == 0) != (policy == render.BalanceNever) {
			t.Errorf("policy %v: %d redistributions", policy, stats.Loops[0].Redistributions)
		}
		if !bytes.Equal(pic.Pix, want.Pix) {
			t.Errorf("policy %v draws another picture", policy)
		}
	}
	o.Balance = render.BalanceAlways + 1
	if err := shared.SetOptions(o); err == nil {
		t.Error("a policy that does not exist was taken")
	}
}
