package split

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"lockstep/cluster/link"
)

// proposePlan sends a new plan to all members: which node owns which blocks. If owner is nil, Owners.Assign chooses the
// owners.
func (r *Root) proposePlan(owner []int) {
	if len(r.members) == 0 || r.current == nil && len(r.members) < r.o.MinNodes && r.epoch == 0 {
		return
	}
	if owner == nil {
		owner = r.o.Owners.Assign(r.o.Shape.Blocks, len(r.members))
	}
	r.epoch++
	e := &epochState{epoch: r.epoch, members: slices.Clone(r.members), owner: owner, ready: map[string]bool{}, proposedAt: time.Now()}
	e.blocks = make([][]int, len(e.members))
	p := planMessage{Owner: make([]uint16, len(owner))}
	for b, o := range owner {
		p.Owner[b] = uint16(o)
		e.blocks[o] = append(e.blocks[o], b)
	}
	for _, m := range e.members {
		p.Members = append(p.Members, m.memberInfo)
		e.names = append(e.names, m.Name)
	}
	body, err := json.Marshal(&p)
	if err != nil {
		panic(fmt.Sprintf("split: a plan cannot be written: %v", err))
	}
	r.proposed = e
	for _, m := range e.members {
		_ = r.links.Send(m.Name, link.Message{Kind: kindPlan, Epoch: e.epoch, Body: slices.Clone(body)}, nil)
	}
}

// markReady notes that a member is ready for the proposed plan. When all members are ready, the plan becomes the
// current one.
func (r *Root) markReady(m *nodeState, epoch uint32) {
	p := r.proposed
	if p == nil || p.epoch != epoch || !p.hasMember(m) {
		return
	}
	p.ready[m.Name] = true
	if len(p.ready) == len(p.members) {
		r.current, r.proposed = p, nil
	}
}

// startFrames starts frames until RootOptions.Window of them are being drawn.
func (r *Root) startFrames() error {
	for r.current != nil && len(r.inProgress) < r.o.Window && len(r.pending) > 0 {
		e := r.current
		f := &rootFrame{frame: r.pending[0], epochState: e, received: map[string]bool{}, started: time.Now(),
			cuts: cutRows(r.latestCosts, r.o.Shape.Rows, len(e.members)), samples: make([]float64, r.o.Shape.Rows)}
		f.Picture = Picture{Frame: f.frame, Epoch: e.epoch, Nodes: len(e.members), Names: e.names, Owner: e.owner,
			Seconds: make([]float64, r.o.Shape.Blocks), Light: make([]float64, len(e.members))}
		if r.o.Shape.Slab == 0 {
			f.Pixels = r.takePixels()
		} else {
			f.Parts, f.bodies = make([][]byte, len(e.members)), make([][]byte, len(e.members))
		}
		r.pending = r.pending[1:]
		r.inProgress = append(r.inProgress, f)
		body, err := json.Marshal(drawMessage{Cuts: f.cuts, Oldest: r.oldestEpoch()})
		if err != nil {
			return err
		}
		for _, m := range e.members {
			_ = r.links.Send(m.Name, link.Message{Kind: kindDraw, Epoch: e.epoch, Frame: uint32(f.frame), Body: slices.Clone(body)}, nil)
		}
	}
	return nil
}

// oldestEpoch returns the lowest epoch of the frames that are being drawn.
func (r *Root) oldestEpoch() uint32 {
	oldest := r.current.epoch
	for _, f := range r.inProgress {
		oldest = min(oldest, f.epoch)
	}
	return oldest
}

// takePixels returns a slice for the pixels of a picture.
func (r *Root) takePixels() []byte {
	if n := len(r.free); n > 0 {
		p := r.free[n-1]
		r.free = r.free[:n-1]
		return p
	}
	return make([]byte, 4*r.o.Shape.Width*r.o.Shape.Height)
}

// receivePart handles a member's part of a frame.
func (r *Root) receivePart(m *nodeState, msg *link.Message, done func(*Picture) error) error {
	at := slices.IndexFunc(r.inProgress, func(f *rootFrame) bool { return f.epoch == msg.Epoch && f.frame == int(msg.Frame) })
	if at < 0 {
		return nil // the epoch has ended
	}
	f := r.inProgress[at]
	i := slices.Index(f.members, m)
	if i < 0 || f.received[m.Name] {
		return fmt.Errorf("%w: part of frame %d", errWire, msg.Frame)
	}
	own := Rows{f.cuts[i], f.cuts[i+1]}
	s, err := parsePart(msg.Body, len(f.blocks[i]), own, &r.o.Shape)
	if err != nil {
		return err
	}
	if err := r.storePart(f, i, own, s.picture, msg.Body); err != nil {
		return err
	}
	f.received[m.Name] = true
	for k, b := range f.blocks[i] {
		f.Seconds[b] = s.seconds[k]
	}
	for row, n := range s.samples {
		f.samples[row] += float64(n)
	}
	f.Bytes += int64(s.bytes)
	f.Light[i], f.Covered = s.light, f.Covered+s.covered
	if len(f.received) < len(f.members) {
		return nil
	}
	for _, m := range f.members {
		m.unreachable = 0
	}
	r.inProgress = slices.Delete(r.inProgress, at, at+1)
	return r.finishFrame(f, done)
}

// checkEvery says how often parts are decoded to check them: of each node, one part in checkEvery, beginning with the
// first. See RootOptions.Check.
const checkEvery = 100

// storePart stores a member's part of a picture. It does not copy encoded slabs: the picture refers to the body of the
// message.
func (r *Root) storePart(f *rootFrame, i int, own Rows, part, body []byte) error {
	s, m := &r.o.Shape, f.members[i]
	if s.Slab == 0 {
		copy(f.Pixels[s.rowBytes()*s.pixelRows(own).lo:], part)
		return nil
	}
	lo, hi := s.slabs(own)
	if err := r.o.Check(part, lo, hi, m.parts%checkEvery == 0); err != nil {
		return fmt.Errorf("%w: part of frame %d: %w", errWire, f.frame, err)
	}
	if lo < hi {
		m.parts++
	}
	f.Parts[i], f.bodies[i] = part, body
	return nil
}

// release keeps the memory of a frame for later frames.
func (r *Root) release(f *rootFrame) {
	if f.Pixels != nil {
		r.free = append(r.free, f.Pixels)
	}
	for _, body := range f.bodies {
		r.links.Recycle(body)
	}
}

// finishFrame passes a complete frame to the function `done`, and to RootOptions.Owners, which may choose new owners.
func (r *Root) finishFrame(f *rootFrame, done func(*Picture) error) error {
	f.Elapsed = time.Since(f.started)
	r.latestCosts = rowCosts(f)
	err := done(&f.Picture)
	r.release(f)
	if err != nil {
		return &callbackError{err}
	}
	if f.epochState != r.current || r.proposed != nil {
		return nil // the frame was not drawn by the latest plan
	}
	if owner := r.o.Owners.Frame(&f.Picture); owner != nil {
		r.proposePlan(owner)
	}
	return nil
}

// rowCosts returns the cost of lighting each tile row, in seconds. It divides each member's time among the member's
// rows, in proportion to samples(row) + mean(samples)/8 + 1. Here samples(row) is the number of samples in which the
// row shows the mesh. The other two terms are the cost of the background.
func rowCosts(f *rootFrame) []float64 {
	mean := 0.0
	for _, n := range f.samples {
		mean += n / float64(len(f.samples))
	}
	costs := make([]float64, len(f.samples))
	for i := range f.members {
		lo, hi := f.cuts[i], f.cuts[i+1]
		sum := 0.0
		for row := lo; row < hi; row++ {
			costs[row] = f.samples[row] + mean/8 + 1
			sum += costs[row]
		}
		for row := lo; row < hi; row++ {
			costs[row] *= (f.Light[i] + 1e-6) / sum
		}
	}
	return costs
}

// cutRows divides the tile rows into consecutive ranges of nearly equal cost. The argument `parts` is the number of
// ranges. Element i of the result is the first row of range i, and the last element is the number of rows. If costs is
// nil, all rows cost the same.
func cutRows(costs []float64, rows, parts int) []int {
	total := 0.0
	cost := func(row int) float64 {
		if costs == nil {
			return 1
		}
		return costs[row]
	}
	for row := range rows {
		total += cost(row)
	}
	cuts, sum := make([]int, 0, parts+1), 0.0
	cuts = append(cuts, 0)
	for row := range rows {
		for len(cuts) < parts && sum+cost(row)/2 >= total*float64(len(cuts))/float64(parts) {
			cuts = append(cuts, row)
		}
		sum += cost(row)
	}
	for len(cuts) < parts+1 {
		cuts = append(cuts, rows)
	}
	return cuts
}
