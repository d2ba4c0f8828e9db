package film

import (
	"fmt"
	"sync"
	"time"

	"lockstep/cluster/page"
	"lockstep/cluster/split"
)

// shownOwners is which node owns which block, as of the latest picture. Its methods may be
// called concurrently.
type ownerView struct {
	mu      sync.Mutex
	owner   []int
	latest  *page.Owners
	updated time.Time
}

// note takes over what a picture says of its nodes.
func (s *ownerView) update(p *split.Picture, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &page.Owners{Epoch: p.Epoch, Frame: p.Frame}
	for i, name := range p.Names {
		v.Nodes = append(v.Nodes, page.Owner{Name: name, Color: fmt.Sprintf("#%06x", ownerColor(i))})
	}
	for b, n := range p.Owner {
		v.Nodes[n].Blocks++
		v.Nodes[n].Seconds += p.Seconds[b]
	}
	between := min(now.Sub(s.updated), p.Elapsed) // frames overlap
	for i := range v.Nodes {
		if between > 0 {
			v.Nodes[i].Busy = min(1, (v.Nodes[i].Seconds+p.Light[i])/between.Seconds())
		}
	}
	s.owner, s.latest, s.updated = p.Owner, v, now
}

func (s *ownerView) view() *page.Owners {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

func (s *ownerView) blocks() (owner []int, frame int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return nil, 0
	}
	return s.owner, s.latest.Frame
}

// ownerColors are colours that most people tell apart, Okabe and Ito's without black; nodes
// beyond them get the same ones, a little darker each time.
var ownerColors = []uint32{0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0xd55e00, 0x56b4e9, 0xf0e442}

func ownerColor(node int) uint32 {
	c, darker := ownerColors[node%len(ownerColors)], uint32(0)
	for range min(node/len(ownerColors), 8) {
		darker += 9
	}
	channel := func(shift uint) uint32 { return (c >> shift & 0xff) * (100 - darker) / 100 << shift }
	return channel(16) | channel(8) | channel(0)
}
