package overlay

import "slices"

// reach is our own protocol. At the start, work is handed down a tree in proportion to the sizes of subtrees, without
// requests, so that every peer has a share after as many hops as the tree has levels. From then on an idle peer steals
// from random victims, which are likely to have work while most peers do. Victims are drawn from a few fixed peers, so
// that the number of a peer's connections does not grow with the number of peers. A peer that is refused several times
// in a row stops asking and leaves its request with its lifelines. A lifeline divides its work evenly among itself and
// all peers that wait, instead of giving half to each in turn.
type reach struct {
	lifeline
	unservedChildren int // number of children that have not been given their first share
}

func newReach(p *Peer) *reach {
	r := &reach{lifeline: *newLifeline(p), unservedChildren: len(p.children)}
	r.victims = p.victimsOf(p.id)
	return r
}

func (r *reach) receive(p *Peer, m Message) {
	if m.Kind == Work && m.A == atStart {
		r.tries = 0
		p.take(m)
		r.onWorked(p)
		return
	}
	r.lifeline.listen(p, m)
	r.onWorked(p)
}

// onWorked hands out first shares, and then serves the peers that wait.
func (r *reach) onWorked(p *Peer) {
	for r.unservedChildren > 0 {
		rest := p.size[p.id] // size without the subtrees that already have their share
		for _, c := range p.children[r.unservedChildren:] {
			rest -= p.size[c]
		}
		child := p.children[r.unservedChildren-1]
		parcel := p.pool.Split(float64(p.size[child]) / float64(rest))
		if parcel == nil {
			return
		}
		r.unservedChildren--
		p.give(child, parcel, atStart)
	}
	for len(r.waiting) > 0 {
		parcel := p.pool.Split(1 / float64(len(r.waiting)+1))
		if parcel == nil {
			return
		}
		p.give(r.waiting[0], parcel, overLifeline)
		r.waiting = r.waiting[1:]
	}
}

// offsetCount is the number of random distances between the numbers of a peer and of its victims. In simulations of 512
// peers the mean efficiency on the tree T1 is 79.9 % with 4 distances, 79.2 % with 2, 78.4 % with 8, and 80.8 % if
// victims are drawn among all peers. But if looking at a connection takes 100 nanoseconds whenever a peer listens, the
// four efficiencies are 76.8, 76.3, 74.8 and 37.2 %.
const offsetCount = 4

// drawOffsets chooses the distances at random.
func (v *Overlay) drawOffsets(r *random) {
	for range offsetCount {
		v.offsets = append(v.offsets, int32(1+r.below(v.options.Peers-1)))
	}
}

// victimsOf returns the peers from which peer id draws its victims. Their numbers differ from id by one of a few random
// distances, modulo the number of peers. All peers use the same distances. So all peers have equally many victims, and
// a peer is itself a victim of each of its victims.
func (v *Overlay) victimsOf(id int32) []int32 {
	n := v.options.Peers
	var all []int32
	for _, offset := range v.offsets {
		for _, step := range []int{int(offset), n - int(offset)} {
			if to := int32((int(id) + step) % n); !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all
}
