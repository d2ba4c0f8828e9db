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
type owners struct {
	submission *Submission
	balancer   *ownership.Balancer
	centre     []mgl64.Vec3 // of every block; nil: places do not matter

	change  *ownership.Change // made, and not yet paid for
	usual   time.Duration     // a frame takes, of those before the change
	changed int
}

// newOwners returns who decides which node owns which block.
func (s *Submission) newOwners(ctx context.Context, blocks int) (*owners, error) {
	size := s.own.Renderer.Options().BlockSize
	bytes := make([]float64, blocks)
	for b := range bytes {
		bytes[b] = bytesPerTriangle * float64(min(size, s.own.Input.Source.Len()-b*size))
	}
	balancer, err := ownership.New(s.job.Frames, ownership.Options{When: s.options.When, How: s.options.How, Bytes: bytes})
	if err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("when %s, how %s: %w", s.options.When, s.options.How, err)}
	}
	o := &owners{submission: s, balancer: balancer}
	if src := s.own.Input.Source; scenes.NumBlocks(src) == blocks {
		o.centre, err = blockplace.Centres(ctx, src)
	}
	return o, err
}

// bytesPerTriangle is what a node needs of a triangle: three corners of three float32.
const bytesPerTriangle = 36

// Assign implements split.Owners.
func (o *owners) Assign(blocks, nodes int) []int {
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
func (o *owners) loads(p *split.Picture) ownership.Loads {
	l := ownership.Loads{Seconds: p.Seconds}
	if o.centre == nil {
		return l
	}
	cams := o.submission.own.cams
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
func (o *owners) Frame(p *split.Picture) []int {
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
func (o *owners) pay(took time.Duration) {
	c, cost := o.change, max(took-o.usual, leastChange)
	o.balancer.Balanced(c, cost.Seconds())
	o.change = nil
	o.changed++
	if moved := o.submission.options.Moved; moved != nil {
		moved(fmt.Sprintf("%d of %d blocks move, %.1f ms a frame saved, %.1f ms paid: %s", c.Blocks, len(c.Owner), 1000*c.Saves, 1000*cost.Seconds(), c.Why))
	}
}

// leastChange is what a change costs at least: a plan to all nodes and their answers.
const leastChange = time.Millisecond
