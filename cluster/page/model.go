package page

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"lockstep/cluster"
)

// States of a frame, one letter each, in the response to /films/ID/frames.
const (
	waiting = '.'
	drawn   = 'd'
	failed  = 'f'
)

// A filmState holds the state of a job and its frames, as the page shows it.
type filmState struct {
	job      cluster.Job
	states   []byte // state of each frame
	done     int
	failures map[int]*cluster.Failure
	seconds  float64 // the sum of the drawing times of all nodes
	bytes    int64
	last     int // the frame that was drawn last, or -1
	rate     rateMeter
	nodes    map[string]*nodeTotals
}

// A nodeTotals counts the frames that one node drew for a film, and the time that they took.
type nodeTotals struct {
	frames  int
	seconds float64
}

// A change records that a frame has a new state.
type change struct {
	film  string
	frame int
	state byte
}

// A model is the data that the page shows. Watchers update it, and handlers read it.
type model struct {
	mu      sync.Mutex
	films   map[string]*filmState
	nodes   []cluster.Node
	blocked []string
	// log holds the latest changes of all films. The change log[i] has the number base+i, counted from the start of the
	// server.
	log     []change
	base    int
	changed chan struct{} // closed at the next change
}

// maxLog limits the length of log. A browser that asks for an older change has to request the states of all frames
// again.
const maxLog = 1 << 16

func newModel() *model {
	return &model{films: map[string]*filmState{}, changed: make(chan struct{})}
}

// notify wakes all goroutines that wait for changes. The caller holds m.mu.
func (m *model) notify() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// setJobs sets the list of jobs. Films that are not in it are removed.
func (m *model) setJobs(jobs []cluster.Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	previous := m.films
	m.films = map[string]*filmState{}
	for _, j := range jobs {
		f := previous[j.ID]
		if f == nil {
			f = &filmState{states: slices.Repeat([]byte{waiting}, j.Frames), failures: map[int]*cluster.Failure{}, last: -1, nodes: map[string]*nodeTotals{}}
		}
		f.job = j
		m.films[j.ID] = f
	}
	m.notify()
}

func (m *model) setNodes(nodes []cluster.Node, blocked []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes, m.blocked = nodes, blocked
	m.notify()
}

// setFrame records the result of frame k. If d is not nil, the frame was drawn. If x is not nil, it failed. If live is
// false, the frame was drawn before this process started to follow the film, and does not count for the rate.
func (m *model) setFrame(id string, k int, d *cluster.Done, x *cluster.Failure, live bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.films[id]
	if f == nil || k >= len(f.states) || f.states[k] == drawn {
		return
	}
	delete(f.failures, k)
	state := byte(failed)
	if d == nil {
		f.failures[k] = x
	} else {
		state = drawn
		f.done++
		f.seconds += d.Seconds
		f.bytes += int64(d.Bytes)
		f.last = k
		t := f.nodes[d.Node]
		if t == nil {
			t = &nodeTotals{}
			f.nodes[d.Node] = t
		}
		t.frames++
		t.seconds += d.Seconds
	}
	if live {
		f.rate.add(time.Now())
	}
	f.states[k] = state
	m.addChange(change{id, k, state})
}

// resetFailures marks the failed frames of a film as waiting. It is called when the job is retried.
func (m *model) resetFailures(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.films[id]; f != nil {
		for k := range f.failures {
			f.states[k] = waiting
			m.addChange(change{id, k, waiting})
		}
		clear(f.failures)
	}
}

// addChange appends to the log. The caller holds m.mu.
func (m *model) addChange(c change) {
	if len(m.log) >= maxLog {
		half := len(m.log) / 2
		m.log, m.base = append(m.log[:0:0], m.log[half:]...), m.base+half
	}
	m.log = append(m.log, c)
	m.notify()
}

// since returns the changes from number position on, and the number of the next change. If some of them have been
// removed from the log, lost is true. The channel news is closed at the next change.
func (m *model) since(position int) (changes []change, next int, lost bool, news <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next = m.base + len(m.log)
	if position < m.base {
		return nil, next, true, m.changed
	}
	if position > next { // a new browser passes MaxInt to get the current position
		return nil, next, false, m.changed
	}
	return slices.Clone(m.log[position-m.base:]), next, false, m.changed
}

// job returns the job with this ID.
func (m *model) job(id string) (cluster.Job, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.films[id]
	if f == nil {
		return cluster.Job{}, false
	}
	return f.job, true
}

// states returns the states of all frames of a film, or nil.
func (m *model) states(id string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.films[id]; f != nil {
		return slices.Clone(f.states)
	}
	return nil
}

// A filmView describes a film for browsers.
type filmView struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Frames   int       `json:"frames"`
	Done     int       `json:"done"`
	Failed   int       `json:"failed"`
	State    string    `json:"state"`
	Priority int       `json:"priority"`
	Created  time.Time `json:"created"`
	Last     int       `json:"last"`    // -1 means none
	Rate     float64   `json:"rate"`    // frames per second; 0 means unknown
	Left     float64   `json:"left"`    // seconds until the last frame; -1 means unknown
	Seconds  float64   `json:"seconds"` // the sum of the drawing times of all nodes
	Bytes    int64     `json:"bytes"`
	Shared   bool      `json:"shared"`
	Failures []failure `json:"failures"` // at most maxFailures of them
}

type failure struct {
	Frame int    `json:"frame"`
	Node  string `json:"node"`
	Error string `json:"error"`
}

// maxFailures limits the failures of a film that are sent to browsers.
const maxFailures = 50

// A nodeView describes a node for browsers.
type nodeView struct {
	Name    string    `json:"name"`
	Host    string    `json:"host"`
	Cores   int       `json:"cores"`
	Since   time.Time `json:"since"`
	Frames  int       `json:"frames"`  // frames that it drew of the films on the page
	Seconds float64   `json:"seconds"` // drawing time of these frames
	Busy    float64   `json:"busy"`    // fraction of recent time spent drawing; -1 means unknown
	There   bool      `json:"there"`   // the node sends heartbeats
	Blocked bool      `json:"blocked"`
}

// view returns all films, the newest first, and all nodes, sorted by name.
func (m *model) view(now time.Time) (films []filmView, nodes []nodeView) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]*nodeView{}
	node := func(name string) *nodeView {
		if all[name] == nil {
			all[name] = &nodeView{Name: name, Busy: -1}
		}
		return all[name]
	}
	for _, n := range m.nodes {
		v := node(n.Name)
		v.Host, v.Cores, v.Since, v.Busy, v.There = n.Host, n.Cores, n.Since, n.Busy, true
	}
	for _, name := range m.blocked {
		node(name).Blocked = true
	}
	films = []filmView{}
	for _, f := range m.films {
		films = append(films, f.view(now))
		for name, t := range f.nodes {
			if f.job.Shared != nil {
				continue // all nodes draw each frame of a shared film together, so a record names no single node
			}
			v := node(name)
			v.Frames += t.frames
			v.Seconds += t.seconds
		}
	}
	slices.SortFunc(films, func(a, b filmView) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	nodes = []nodeView{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		nodes = append(nodes, *all[name])
	}
	return films, nodes
}

func (f *filmState) view(now time.Time) filmView {
	v := filmView{
		ID: f.job.ID, Name: f.job.Name, Frames: f.job.Frames, Done: f.done, Failed: len(f.failures), State: f.state(),
		Priority: f.job.Priority, Created: f.job.Created, Last: f.last, Left: -1,
		Seconds: f.seconds, Bytes: f.bytes, Shared: f.job.Shared != nil, Failures: []failure{},
	}
	if v.State == "drawing" {
		v.Rate = f.rate.rate(now)
		if v.Rate > 0 {
			v.Left = float64(f.framesLeft()) / v.Rate
		}
	}
	for _, k := range slices.Sorted(maps.Keys(f.failures)) {
		if x := f.failures[k]; len(v.Failures) < maxFailures {
			v.Failures = append(v.Failures, failure{k, x.Node, x.Error})
		}
	}
	return v
}

func (f *filmState) framesLeft() int { return f.job.Frames - f.done - len(f.failures) }

func (f *filmState) state() string {
	switch {
	case f.job.Cancelled:
		return "cancelled"
	case f.job.Finished != nil || f.framesLeft() == 0:
		return "finished"
	case f.job.Draft || f.done == 0:
		return "waiting"
	}
	return "drawing"
}

// A rateMeter measures how many frames arrive per second.
type rateMeter struct {
	arrivals []time.Time
}

// rateFrames is the number of frames over which the rate is averaged. Frames arrive at irregular times, so an average
// over fewer frames would fluctuate.
const rateFrames = 64

func (p *rateMeter) add(now time.Time) {
	if len(p.arrivals) == rateFrames {
		p.arrivals = append(p.arrivals[:0], p.arrivals[1:]...)
	}
	p.arrivals = append(p.arrivals, now)
}

// rate returns frames per second, or 0 if fewer than two frames have arrived. It decreases while no frame arrives.
func (p *rateMeter) rate(now time.Time) float64 {
	n := len(p.arrivals)
	if n < 2 {
		return 0
	}
	span := p.arrivals[n-1].Sub(p.arrivals[0])
	if wait := now.Sub(p.arrivals[n-1]); wait > 2*span/time.Duration(n-1) {
		span += wait
	}
	if span <= 0 {
		return 0
	}
	return float64(n-1) / span.Seconds()
}
