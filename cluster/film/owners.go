package film

import (
	"context"
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/cluster/split"
	"lockstep/internal/blockplace"
	"lockstep/lb/ownership"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// An ownerBalancer decides when blocks of a mesh move between the nodes of a shared film. It uses the measured drawing
// times of the blocks. It implements split.Owners.
type ownerBalancer struct {
	submission *Submission
	balancer   *ownership.Balancer
	// centres holds the centres of all blocks. It is nil if the balancer does not use positions.
	centres []mgl64.Vec3

	// pending is the latest change of owners while its cost has not been measured. It is nil otherwise.
	pending *ownership.Change
	// lastFrame is how long drawing the latest frame took.
	lastFrame time.Duration
	changed   int
}

// newOwners returns the balancer of a shared film.
func (s *Submission) newOwners(ctx context.Context, blocks int) (*ownerBalancer, error) {
	size := s.local.Renderer.Options().BlockSize
	bytes := make([]float64, blocks)
	for b := range bytes {
		bytes[b] = bytesPerTriangle * float64(min(size, s.local.Input.Source.Len()-b*size))
	}
	balancer, err := ownership.New(s.job.Frames, ownership.Options{When: s.options.When, How: s.options.How, Bytes: bytes})
	if err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("when %s, how %s: %w", s.options.When, s.options.How, err)}
	}
	o := &ownerBalancer{submission: s, balancer: balancer}
	if src := s.local.Input.Source; scenes.NumBlocks(src) == blocks {
		o.centres, err = blockplace.Centres(ctx, src)
	}
	return o, err
}

// bytesPerTriangle is the number of bytes that a node receives for a triangle: three corners of three float32.
const bytesPerTriangle = 36

// Assign implements split.Owners.
func (o *ownerBalancer) Assign(blocks, nodes int) []int {
	o.pending, o.lastFrame = nil, 0
	return toInts(o.balancer.Assign(blocks, nodes))
}

func toInts(owner []int32) []int {
	out := make([]int, len(owner))
	for i, n := range owner {
		out[i] = int(n)
	}
	return out
}

// loads returns the measured drawing times of the blocks in a frame, and their positions in the next frame.
func (o *ownerBalancer) loads(p *split.Picture) ownership.Loads {
	l := ownership.Loads{Seconds: p.Seconds}
	if o.centres == nil {
		return l
	}
	cams := o.submission.local.cams
	now, next := &cams[p.Frame], &cams[min(p.Frame+1, len(cams)-1)]
	for _, c := range o.centres {
		x0, y0 := blockplace.Project(c, now)
		x1, y1 := blockplace.Project(c, next)
		l.X, l.Y = append(l.X, x1), append(l.Y, y1)
		l.VX, l.VY = append(l.VX, x1-x0), append(l.VY, y1-y0)
	}
	return l
}

// Frame implements split.Owners. The cost of a change of owners is a difference of two drawing times: that of the first
// frame after the change, minus that of the last frame before the change.
func (o *ownerBalancer) Frame(p *split.Picture) []int {
	if o.pending != nil {
		o.chargeChange(p.Elapsed)
	}
	o.lastFrame = p.Elapsed
	c, err := o.balancer.Frame(o.loads(p))
	if err != nil || c == nil { // an error means implausible times; they are ignored
		return nil
	}
	o.pending = c
	return toInts(c.Owner)
}

// chargeChange reports the cost of the latest change to the balancer.
func (o *ownerBalancer) chargeChange(took time.Duration) {
	c, cost := o.pending, max(took-o.lastFrame, leastChangeCost)
	o.balancer.Balanced(c, cost.Seconds())
	o.pending = nil
	o.changed++
	if moved := o.submission.options.BlocksMoved; moved != nil {
		moved(fmt.Sprintf("%d of %d blocks move, %.1f ms a frame saved, %.1f ms paid: %s", c.Blocks, len(c.Owner), 1000*c.Saves, 1000*cost.Seconds(), c.Why))
	}
}

// leastChangeCost is the least cost of a change of owners. Sending a plan to all nodes and receiving their answers
// takes about as long.
const leastChangeCost = time.Millisecond
