package recipe_test

import (
	"context"
	"strings"
	"testing"

	"lockstep/render/recipe"
)

// TestShadowInFit checks that a tight fit leaves space for the shadow on the ground in pictures with a shadow, and only
// in those.
func TestShadowInFit(t *testing.T) {
	ctx := context.Background()
	for args, seen := range map[string]bool{
		"--view=30,20":                            true,
		"--view=30,20 --projection=orthographic":  true,
		"--view=30,-30":                           false,
		"--view=bottom":                           false,
		"--view=30,0 --projection=orthographic":   false,
		"--view=30,-30 --projection=orthographic": false,
		"--view=30,30 --fit=box":                  false,
		"--view=30,20 --background=none":          false,
		"--view=30,20 --light=headlight":          false,
		"--view=30,20 --background=none --ground": true,
	} {
		p, err := recipe.Parse(append(strings.Fields(args), "--size=200x150", "scene:gear?triangles=1000"))
		if err != nil {
			t.Fatal(err)
		}
		bare := p
		bare.Lines.Ground = new(bool)
		in, err := new(recipe.Drawer).Open(ctx, p, p.RenderOptions(), false)
		if err != nil {
			t.Fatal(err)
		}
		with, err := p.Fit(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		without, err := bare.Fit(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		if (with != without) != seen {
			t.Errorf("%s: room for a shadow: %v, want %v", args, !seen, seen)
		}
		turns, err := p.FitTurn(ctx, in, []float64{0, 90})
		if err != nil {
			t.Fatal(err)
		}
		bareTurns, err := bare.FitTurn(ctx, in, []float64{0, 90})
		if err != nil {
			t.Fatal(err)
		}
		if (turns[1] != bareTurns[1]) != seen {
			t.Errorf("%s: room for a shadow around a turntable: %v, want %v", args, !seen, seen)
		}
		in.Close()
	}
}
