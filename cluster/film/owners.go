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

// owners lets blocks follow their times from node to node while a film is drawn. It
// implements split.Owners.
type ownerBalancer struct {
	submission *Submission
	balancer   *ownership.Balancer
	centres    []mgl64.Vec3 // of every block; nil: places do not matter

	pending   *ownership.Change // made, and not yet paid for
	lastFrame time.Duration     // a frame takes, of those before the change
	changed   int
}

// newOwners returns who decides which node owns which block.
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

// bytesPerTriangle is what a node needs of a triangle: three corners of three float32.
const bytesPerTriangle = 36

// Assign implements split.Owners.
func (o *ownerBalancer) Assign(blocks, nodes int) []int {
	o.pending, o.lastFrame = nil, 0
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
func (o *ownerBalancer) loads(p *split.Picture) ownership.Loads {
	l := ownership.Loads{Seconds: p.Seconds}
	if o.centres == nil {
		return l
	}
	cams := o.submission.local.cams
	now, next := &cams[p.Frame], &cams[min(p.Frame+1, len(cams)-1)]
	for _, c := range o.centres {
		x0, y0 := blockplace.In(c, now)
		x1, y1 := blockplace.In(c, next)
		l.X, l.Y = append(l.X, x1), append(l.Y, y1)
		l.VX, l.VY = append(l.VX, x1-x0), append(l.VY, y1-y0)
	}
	return l
}

// Frame implements split.Owners. The first frame after a change shows what it cost: how
// much longer it took than those before.
func (o *ownerBalancer) Frame(p *split.Picture) []int {
	if o.pending != nil {
		o.chargeChange(p.Elapsed)
	}
	o.lastFrame = p.Elapsed
	c, err := o.balancer.Frame(o.loads(p))
	if err != nil || c == nil { // times that no clock gives teach nothing
		return nil
	}
	o.pending = c
	return ints(c.Owner)
}

// pay takes the cost of the last change.
func (o *ownerBalancer) chargeChange(took time.Duration) {
	c, cost := o.pending, max(took-o.lastFrame, leastChangeCost)
	o.balancer.Balanced(c, cost.Seconds())
	o.pending = nil
	o.changed++
	if moved := o.submission.options.BlocksMoved; moved != nil {
		moved(fmt.Sprintf("%d of %d blocks move, %.1f ms a frame saved, %.1f ms paid: %s", c.Blocks, len(c.Owner), 1000*c.Saves, 1000*cost.Seconds(), c.Why))
	}
}

// leastChange is what a change costs at least: a plan to all nodes and their answers.
const leastChangeCost = time.Millisecond
