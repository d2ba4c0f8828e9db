package main

import (
	"lockstep/internal/blockplace"
	"context"
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/cluster/split"
	"lockstep/internal/cli"
	"lockstep/lb/ownership"
	"lockstep/scenes"
)

// filmOwners lets blocks follow their times from node to node while a film is drawn. It
// implements split.Owners.
type filmOwners struct {
	reel     *reel
	balancer *ownership.Balancer
	centre   []mgl64.Vec3 // of every block; nil: places do not matter
	explain  bool

	change  *ownership.Change // made, and not yet paid for
	usual   time.Duration     // a frame takes, of those before the change
	changed int
}

// newOwners returns who decides which node owns which block.
func (r *reel) newOwners(ctx context.Context, c *filmCommand, blocks int) (*filmOwners, error) {
	size := r.own.Renderer.Options().BlockSize
	bytes := make([]float64, blocks)
	for b := range bytes {
		bytes[b] = bytesPerTriangle * float64(min(size, r.own.Input.Source.Len()-b*size))
	}
	balancer, err := ownership.New(r.job.Frames, ownership.Options{When: c.When, How: c.How, Bytes: bytes})
	if err != nil {
		return nil, cli.Usagef("--when %s --how %s: %w", c.When, c.How, err)
	}
	o := &filmOwners{reel: r, balancer: balancer, explain: c.Explain}
	if src := r.own.Input.Source; scenes.NumBlocks(src) == blocks {
		o.centre, err = blockplace.Centres(ctx, src)
	}
	return o, err
}

// bytesPerTriangle is what a node needs of a triangle: three corners of three float32.
const bytesPerTriangle = 36

// Assign implements split.Owners.
func (o *filmOwners) Assign(blocks, nodes int) []int {
	o.change, o.usual = nil, 0
	return ints(o.balancer.Assign(blocks, nodes))
}

func ints(owner []int32) []int {
	out := make([]int, len(owner))
	for i, n := range owner {
		out[i] = int(n)
	}
	return out
}

// loads returns the times of the blocks of a frame, and where they will be in the next one.
func (o *filmOwners) loads(p *split.Picture) ownership.Loads {
	l := ownership.Loads{Seconds: p.Seconds}
	if o.centre == nil {
		return l
	}
	cams := o.reel.own.cams
	now, next := &cams[p.Frame], &cams[min(p.Frame+1, len(cams)-1)]
	for _, c := range o.centre {
		x0, y0 := blockplace.In(c, now)
		x1, y1 := blockplace.In(c, next)
		l.X, l.Y = append(l.X, x1), append(l.Y, y1)
		l.VX, l.VY = append(l.VX, x1-x0), append(l.VY, y1-y0)
	}
	return l
}

// Frame implements split.Owners. The first frame after a change shows what it cost: how
// much longer it took than those before.
func (o *filmOwners) Frame(p *split.Picture) []int {
	if o.change != nil {
		o.pay(p.Elapsed)
	}
	o.usual = p.Elapsed
	c, err := o.balancer.Frame(o.loads(p))
	if err != nil || c == nil { // times that no clock gives teach nothing
		return nil
	}
	o.change = c
	return ints(c.Owner)
}

// pay takes the cost of the last change.
func (o *filmOwners) pay(took time.Duration) {
	c, cost := o.change, max(took-o.usual, leastChange)
	o.balancer.Balanced(c, cost.Seconds())
	o.change = nil
	o.changed++
	if o.explain {
		o.reel.app.Progress.Clear()
		fmt.Fprintf(o.reel.app.Stderr, "owners: %d of %d blocks move, %.1f ms a frame saved, %.1f ms paid: %s\n",
			c.Blocks, len(c.Owner), 1000*c.Saves, 1000*cost.Seconds(), c.Why)
	}
}

// leastChange is what a change costs at least: a plan to all nodes and their answers.
const leastChange = time.Millisecond
