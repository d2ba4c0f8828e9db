package split

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"lockstep/cluster/link"
)

// propose sends a plan to its members: all nodes, and who owns what; owner nil: as Owners
// assigns to new nodes.
func (r *Root) propose(owner []int) {
	if len(r.members) == 0 || r.current == nil && len(r.members) < r.o.Least && r.epoch == 0 {
		return
	}
	if owner == nil {
		owner = r.o.Owners.Assign(r.o.Shape.Blocks, len(r.members))
	}
	r.epoch++
	e := &epochState{epoch: r.epoch, members: slices.Clone(r.members), owner: owner, ready: map[string]bool{}, asked: time.Now()}
	e.share = make([][]int, len(e.members))
	p := plan{Owner: make([]uint16, len(owner))}
	for b, o := range owner {
		p.Owner[b] = uint16(o)
		e.share[o] = append(e.share[o], b)
	}
	for _, m := range e.members {
		p.Members = append(p.Members, m.member)
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

// ready notes that a member can draw by the proposed plan, which begins to hold when all can.
func (r *Root) ready(m *nodeState, epoch uint32) {
	p := r.proposed
	if p == nil || p.epoch != epoch || !p.has(m) {
		return
	}
	p.ready[m.Name] = true
	if len(p.ready) == len(p.members) {
		r.current, r.proposed = p, nil
	}
}

// begin starts frames while there is room.
func (r *Root) begin() error {
	for r.current != nil && len(r.flying) < r.o.Window && len(r.todo) > 0 {
		e := r.current
		f := &rootFrame{frame: r.todo[0], epochState: e, strips: map[string]bool{}, started: time.Now(),
			cuts: cutRows(r.active, r.o.Shape.Rows, len(e.members)), active: make([]float64, r.o.Shape.Rows)}
		f.Picture = Picture{Frame: f.frame, Epoch: e.epoch, Nodes: len(e.members), Names: e.names, Owner: e.owner,
			Seconds: make([]float64, r.o.Shape.Blocks), Light: make([]float64, len(e.members))}
		if r.o.Shape.Band == 0 {
			f.Pixels = r.pixels()
		} else {
			f.Parts, f.bodies = make([][]byte, len(e.members)), make([][]byte, len(e.members))
		}
		r.todo = r.todo[1:]
		r.flying = append(r.flying, f)
		body, err := json.Marshal(draw{Cuts: f.cuts, Oldest: r.oldestEpoch()})
		if err != nil {
			return err
		}
		for _, m := range e.members {
			_ = r.links.Send(m.Name, link.Message{Kind: kindDraw, Epoch: e.epoch, Frame: uint32(f.frame), Body: slices.Clone(body)}, nil)
		}
	}
	return nil
}

// oldestEpoch returns the first epoch of which a frame is on its way.
func (r *Root) oldestEpoch() uint32 {
	oldest := r.current.epoch
	for _, f := range r.flying {
		oldest = min(oldest, f.epoch)
	}
	return oldest
}

// pixels returns memory for a picture.
func (r *Root) pixels() []byte {
	if n := len(r.free); n > 0 {
		p := r.free[n-1]
		r.free = r.free[:n-1]
		return p
	}
	return make([]byte, 4*r.o.Shape.Width*r.o.Shape.Height)
}

// strip takes a member's part of a frame.
func (r *Root) strip(m *nodeState, msg *link.Message, done func(*Picture) error) error {
	at := slices.IndexFunc(r.flying, func(f *rootFrame) bool { return f.epoch == msg.Epoch && f.frame == int(msg.Frame) })
	if at < 0 {
		return nil // of an epoch that has ended
	}
	f := r.flying[at]
	i := slices.Index(f.members, m)
	if i < 0 || f.strips[m.Name] {
		return fmt.Errorf("%w: strip of frame %d", errWire, msg.Frame)
	}
	own := Rows{f.cuts[i], f.cuts[i+1]}
	s, err := parseStrip(msg.Body, len(f.share[i]), own, &r.o.Shape)
	if err != nil {
		return err
	}
	if err := r.takePart(f, i, own, s.picture, msg.Body); err != nil {
		return err
	}
	f.strips[m.Name] = true
	for k, b := range f.share[i] {
		f.Seconds[b] = s.seconds[k]
	}
	for row, n := range s.active {
		f.active[row] += float64(n)
	}
	f.Bytes += int64(s.bytes)
	f.Light[i], f.Covered = s.light, f.Covered+s.covered
	if len(f.strips) < len(f.members) {
		return nil
	}
	for _, m := range f.members {
		m.accused = 0
	}
	r.flying = slices.Delete(r.flying, at, at+1)
	return r.complete(f, done)
}

// checkEvery is how many parts of a node are checked briefly for each one that is checked wholly.
const checkEvery = 100

// takePart takes a member's part of a picture. Bands are used where they lie in the message.
func (r *Root) takePart(f *rootFrame, i int, own Rows, part, body []byte) error {
	s, m := &r.o.Shape, f.members[i]
	if s.Band == 0 {
		copy(f.Pixels[s.rowBytes()*s.pixelRows(own).lo:], part)
		return nil
	}
	lo, hi := s.bands(own)
	if err := r.o.Check(part, lo, hi, m.parts%checkEvery == 0); err != nil {
		return fmt.Errorf("%w: strip of frame %d: %w", errWire, f.frame, err)
	}
	if lo < hi {
		m.parts++
	}
	f.Parts[i], f.bodies[i] = part, body
	return nil
}

// release takes back the memory of a frame.
func (r *Root) release(f *rootFrame) {
	if f.Pixels != nil {
		r.free = append(r.free, f.Pixels)
	}
	for _, body := range f.bodies {
		r.links.Recycle(body)
	}
}

// complete hands a frame over and learns from it.
func (r *Root) complete(f *rootFrame, done func(*Picture) error) error {
	f.Elapsed = time.Since(f.started)
	r.active = rowCosts(f)
	err := done(&f.Picture)
	r.release(f)
	if err != nil {
		return &doneError{err}
	}
	if f.epochState != r.current || r.proposed != nil {
		return nil // the assignment is no longer the one that holds
	}
	if owner := r.o.Owners.Frame(&f.Picture); owner != nil {
		r.propose(owner)
	}
	return nil
}

// rowCosts returns the cost of lighting each row: what a member's rows took, shared out
// by the samples that lie in them; a row without any still has a background.
func rowCosts(f *rootFrame) []float64 {
	mean := 0.0
	for _, n := range f.active {
		mean += n / float64(len(f.active))
	}
	costs := make([]float64, len(f.active))
	for i := range f.members {
		lo, hi := f.cuts[i], f.cuts[i+1]
		sum := 0.0
		for row := lo; row < hi; row++ {
			costs[row] = f.active[row] + mean/8 + 1
			sum += costs[row]
		}
		for row := lo; row < hi; row++ {
			costs[row] *= (f.Light[i] + 1e-6) / sum
		}
	}
	return costs
}

// cutRows divides rows into consecutive ranges of nearly the same cost; nil costs are all
// the same.
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
