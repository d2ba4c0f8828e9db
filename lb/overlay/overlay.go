package overlay

import (
	"fmt"
	"slices"
)

// A Protocol is a way for idle peers to find work.
type Protocol uint8

const (
	// TR is the protocol of Vu and others on a random tree.
	TR Protocol = iota
	// TD is the protocol of Vu and others on a regular tree. All inner peers have Degree children, but the last inner
	// peer may have fewer.
	TD
	// BTD is TD with a bridge, an extra link, from every peer to a random other peer.
	BTD
	// RWS is random work stealing.
	RWS
	// MW is master-worker: a master knows how much work every worker has.
	MW
	// AHMW is the adaptive hierarchical master-worker protocol: a tree whose inner peers are masters.
	AHMW
	// Lifeline is random work stealing in which a peer stops asking after a few attempts. Its neighbours in a fixed
	// graph then give it work when they have some.
	Lifeline
	// Reach is our own protocol. At the start, work is handed down a tree in proportion to the sizes of subtrees. After
	// that, a peer steals from a few fixed peers. After several refusals it leaves a request with its neighbours and
	// waits.
	Reach
	// Keep is random work stealing that survives crashes. A peer that gives work away keeps a copy until the result
	// comes back.
	Keep
)

var protocolNames = names{"tr", "td", "btd", "rws", "mw", "ahmw", "lifeline", "reach", "keep"}

// String returns the name that ParseProtocol reads.
func (p Protocol) String() string { return protocolNames.text(int(p)) }

// ParseProtocol returns the protocol of the given name, in lower or upper case. It returns an error for other names.
func ParseProtocol(name string) (Protocol, error) {
	i, err := protocolNames.parse("protocol", name)
	return Protocol(i), err
}

// Options describe a run. All peers of a run must be made with the same Options.
type Options struct {
	Protocol Protocol
	// Peers is the number of peers, at least 1.
	Peers int
	// Degree is the largest number of children of a peer in TD, BTD and AHMW, and in the trees that detect termination.
	// The default is 10, as in Vu and others.
	Degree int
	// Share says how much a peer gives away in TR, TD and BTD. In the other protocols it gives half, as published.
	Share Share
	// Seed determines all random choices.
	Seed uint64
}

// defaultDegree is the degree in the large runs of Vu and others. AHMW worked best with it too, according to its paper.
const defaultDegree = 10

// mostPeers limits the memory of an overlay, which is 20 bytes per peer.
const mostPeers = 1 << 24

// An Overlay is the network of logical links between the peers of a run. It depends on the options alone, so every
// process of a cluster can build its own.
type Overlay struct {
	options  Options
	parent   []int32 // -1 at the root, which is peer 0
	size     []int32 // number of peers in the subtree of each peer, including itself
	first    []int32 // the children of v are children[first[v]:first[v+1]]
	children []int32 // in ascending order for each parent
	bridge   []int32 // in BTD: the peer to which each peer's bridge leads
	offsets  []int32 // in Reach: differences between the numbers of a peer and of its victims
	holder   int32   // the peer that has all work at the beginning
}

// New returns the overlay of a run. It returns an error if an option is out of range.
func New(o Options) (*Overlay, error) {
	if o.Degree == 0 {
		o.Degree = defaultDegree
	}
	switch {
	case o.Peers < 1 || o.Peers > mostPeers:
		return nil, fmt.Errorf("%d peers: expected 1 to %d", o.Peers, mostPeers)
	case o.Degree < 1:
		return nil, fmt.Errorf("degree %d: expected at least 1", o.Degree)
	case int(o.Protocol) >= len(protocolNames):
		return nil, fmt.Errorf("unknown protocol %d", o.Protocol)
	case int(o.Share) >= len(shareNames):
		return nil, fmt.Errorf("unknown share %d", o.Share)
	}
	v := &Overlay{options: o}
	r := newRandom(o.Seed, -1)
	v.parent = make([]int32, o.Peers)
	v.parent[0] = -1
	for i := 1; i < o.Peers; i++ {
		if o.Protocol == TR {
			v.parent[i] = int32(r.below(i))
		} else {
			v.parent[i] = int32((i - 1) / o.Degree)
		}
	}
	v.link()
	if o.Protocol == BTD && o.Peers > 1 {
		v.bridge = make([]int32, o.Peers)
		for i := range v.bridge {
			v.bridge[i] = r.other(o.Peers, int32(i))
		}
	}
	if o.Protocol == Reach && o.Peers > 1 {
		v.drawOffsets(&r)
	}
	if o.Protocol == RWS {
		v.holder = int32(r.below(o.Peers))
	}
	return v, nil
}

// link computes children and sizes from the parents. A parent has a smaller number than its children.
func (v *Overlay) link() {
	n := len(v.parent)
	v.size, v.first = make([]int32, n), make([]int32, n+1)
	for i := n - 1; i > 0; i-- {
		v.size[i]++
		v.size[v.parent[i]] += v.size[i]
		v.first[v.parent[i]+1]++
	}
	v.size[0]++
	for i := range n {
		v.first[i+1] += v.first[i]
	}
	v.children = make([]int32, n-1)
	next := slices.Clone(v.first)
	for i := 1; i < n; i++ {
		p := v.parent[i]
		v.children[next[p]] = int32(i)
		next[p]++
	}
}

// Holder returns the peer whose pool has all work at the beginning. This is the root, or a random peer in RWS.
func (v *Overlay) Holder() int { return int(v.holder) }

// Peers returns the number of peers.
func (v *Overlay) Peers() int { return v.options.Peers }

// Options returns the options, including defaults.
func (v *Overlay) Options() Options { return v.options }

// Height returns the number of links from the root to the deepest peer.
func (v *Overlay) Height() int {
	depth := make([]int32, len(v.parent))
	for i := 1; i < len(depth); i++ {
		depth[i] = depth[v.parent[i]] + 1
	}
	return int(slices.Max(depth))
}

// Links returns, for each peer, the number of other peers with which it may exchange messages:
//   - In TR, TD, BTD, AHMW and Reach these are its neighbours in the tree and over bridges and lifelines.
//   - AHMW adds the masters of its level, and Reach the peers from which it may steal.
//   - In the other protocols these are all other peers.
func (v *Overlay) Links() []int {
	n := v.options.Peers
	links := make([]int, n)
	for id := range links {
		links[id] = v.linksOf(id)
	}
	for _, to := range v.bridge {
		links[to]++
	}
	if v.options.Protocol == Reach {
		for id := range links {
			for _, to := range cyclicHypercube(int32(id), n, lifelineBase) {
				links[to]++
			}
		}
	}
	for id := range links {
		links[id] = min(links[id], n-1)
	}
	return links
}

// linksOf returns the number of links that a peer opens, and the number of its links in the tree.
func (v *Overlay) linksOf(id int) int {
	near, n := len(v.childrenOf(int32(id))), v.options.Peers
	if id > 0 {
		near++
	}
	switch v.options.Protocol {
	case TR, TD:
		return near
	case BTD:
		return near + min(1, len(v.bridge))
	case AHMW:
		if start, end := v.level(id); near > 1 || id == 0 {
			near += max(0, end-start-1)
		}
		return near
	case Reach:
		return near + len(v.victimsOf(int32(id))) + len(cyclicHypercube(int32(id), n, lifelineBase))
	}
	return n - 1
}

// level returns the range of the masters that are on the same level as master id in AHMW. They have consecutive
// numbers: the first peer of the next level is the first child of the first peer of this level.
func (v *Overlay) level(id int) (start, end int) {
	for end = 1; id >= end; {
		start, end = end, min(end*v.options.Degree+1, v.options.Peers)
	}
	for end > start && len(v.childrenOf(int32(end-1))) == 0 {
		end--
	}
	return start, end
}

// childrenOf returns the children of a peer in ascending order.
func (v *Overlay) childrenOf(id int32) []int32 {
	return v.children[v.first[id]:v.first[id+1]:v.first[id+1]]
}
