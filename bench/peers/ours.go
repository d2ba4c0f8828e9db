package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"lockstep/render"
)

// lockstepFrames returns the times of Lockstep with one worker, for each instruction set of the processor and each
// culling mode.
func lockstepFrames(ctx context.Context, s *subject, frames int) (all []timing) {
	for _, isa := range []string{"auto", "avx2", "generic"} {
		for _, mode := range []string{"both", "culled"} {
			o := render.Options{Width: width, Height: height, Workers: 1, Pin: true, ISA: isa}
			if mode == "culled" {
				o.Cull = render.CullBack
			}
			t, err := bestTime(ctx, s, o, frames)
			if err != nil {
				fmt.Fprintf(os.Stderr, "lockstep, %s: %v\n", isa, err)
				continue
			}
			t.who, t.mode = "lockstep", mode
			if isa != "auto" {
				t.who = isa
			}
			all = append(all, t)
		}
	}
	return all
}

// bestTime returns the shortest time of a frame. It draws frames+1 frames, of which the first warms the caches.
func bestTime(ctx context.Context, s *subject, o render.Options, frames int) (timing, error) {
	r, err := render.New(o)
	if err != nil {
		return timing{}, err
	}
	defer r.Close()
	var pic render.Picture
	t := timing{seconds: 1e9}
	for range frames + 1 {
		start := time.Now()
		stats, err := r.Frame(ctx, s.mesh, s.cam, &pic)
		if err != nil {
			return t, err
		}
		t.seconds, t.covered = min(t.seconds, time.Since(start).Seconds()), stats.Covered
	}
	return t, nil
}
