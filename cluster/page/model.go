package page

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"lockstep/cluster"
)

// States of a frame, as /films/ID/frames has them.
const (
	waiting = '.'
	drawn   = 'd'
	failed  = 'f'
)

// A film is what is known of a job.
type film struct {
	job      cluster.Job
	states   []byte // by frame
	done     int
	failures map[int]*cluster.Failure
	seconds  float64 // of drawing
	bytes    int64
	last     int // frame that came last; -1: none
	pace     pace
	nodes    map[string]*tally
}

// A tally is what a node did for a film.
type tally struct {
	frames  int
	seconds float64
}

// A change is news of a frame.
type change struct {
	film  string
	frame int
	state byte
}

// A model is what the page shows. Watchers feed it, handlers read it.
type model struct {
	mu      sync.Mutex
	films   map[string]*film
	nodes   []cluster.Node
	blocked []string
	log     []change // of all films; what is older than base is forgotten
	base    int
	news    chan struct{} // closed at the next change
}

// maxLog bounds the changes that are kept for browsers that are slow. One that is slower
// asks for all frames again.
const maxLog = 1 << 16

func newModel() *model {
	return &model{films: map[string]*film{}, news: make(chan struct{})}
}

// tell wakes those who wait for news. m.mu is held.
func (m *model) tell() {
	close(m.news)
	m.news = make(chan struct{})
}

// setJobs takes the list of jobs; what is known of others is forgotten.
func (m *model) setJobs(jobs []cluster.Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.films
	m.films = map[string]*film{}
	for _, j := range jobs {
		f := known[j.ID]
		if f == nil {
			f = &film{states: slices.Repeat([]byte{waiting}, j.Frames), failures: map[int]*cluster.Failure{}, last: -1, nodes: map[string]*tally{}}
		}
		f.job = j
		m.films[j.ID] = f
	}
	m.tell()
}

func (m *model) setNodes(nodes []cluster.Node, blocked []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes, m.blocked = nodes, blocked
	m.tell()
}

// frame notes what became of a frame. live says that it is news, not history.
func (m *model) frame(id string, k int, d *cluster.Done, x *cluster.Failure, live bool) {
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
			t = &tally{}
			f.nodes[d.Node] = t
		}
		t.frames++
		t.seconds += d.Seconds
	}
	if live {
		f.pace.add(time.Now())
	}
	f.states[k] = state
	m.note(change{id, k, state})
}

// again forgets the failures of a film, whose frames were asked for again.
func (m *model) again(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.films[id]; f != nil {
		for k := range f.failures {
			f.states[k] = waiting
			m.note(change{id, k, waiting})
		}
		clear(f.failures)
	}
}

// note adds to the log. m.mu is held.
func (m *model) note(c change) {
	if len(m.log) >= maxLog {
		half := len(m.log) / 2
		m.log, m.base = append(m.log[:0:0], m.log[half:]...), m.base+half
	}
	m.log = append(m.log, c)
	m.tell()
}

// since returns the changes after a position, and the next position. lost says that some
// of them are forgotten.
func (m *model) since(position int) (changes []change, next int, lost bool, news <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next = m.base + len(m.log)
	if position < m.base {
		return nil, next, true, m.news
	}
	if position > next { // of a browser that is new
		return nil, next, false, m.news
	}
	return slices.Clone(m.log[position-m.base:]), next, false, m.news
}

// job returns a job by its ID.
func (m *model) job(id string) (cluster.Job, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.films[id]
	if f == nil {
		return cluster.Job{}, false
	}
	return f.job, true
}

// states returns the states of a film's frames.
func (m *model) states(id string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.films[id]; f != nil {
		return slices.Clone(f.states)
	}
	return nil
}

// filmView is a film as browsers get it.
type filmView struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Frames   int       `json:"frames"`
	Done     int       `json:"done"`
	Failed   int       `json:"failed"`
	State    string    `json:"state"`
	Priority int       `json:"priority"`
	Created  time.Time `json:"created"`
	Last     int       `json:"last"`    // -1: none
	Rate     float64   `json:"rate"`    // frames a second; 0: unknown
	Left     float64   `json:"left"`    // seconds; -1: unknown
	Seconds  float64   `json:"seconds"` // of drawing
	Bytes    int64     `json:"bytes"`
	Shared   bool      `json:"shared"`
	Failures []failure `json:"failures"` // the first maxFailures
}

type failure struct {
	Frame int    `json:"frame"`
	Node  string `json:"node"`
	Error string `json:"error"`
}

// maxFailures bounds the failures of a film that browsers are told of.
const maxFailures = 50

// nodeView is a node as browsers get it.
type nodeView struct {
	Name    string    `json:"name"`
	Host    string    `json:"host"`
	Cores   int       `json:"cores"`
	Since   time.Time `json:"since"`
	Frames  int       `json:"frames"`  // of the films that are shown
	Seconds float64   `json:"seconds"` // of drawing, of these
	Busy    float64   `json:"busy"`    // share of the time of late; -1: unknown
	There   bool      `json:"there"`   // gives signs of life
	Blocked bool      `json:"blocked"`
}

// view returns all films, the latest first, and all nodes by name.
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
				continue // its frames are those of all nodes
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

func (f *film) view(now time.Time) filmView {
	v := filmView{
		ID: f.job.ID, Name: f.job.Name, Frames: f.job.Frames, Done: f.done, Failed: len(f.failures), State: f.state(),
		Priority: f.job.Priority, Created: f.job.Created, Last: f.last, Left: -1,
		Seconds: f.seconds, Bytes: f.bytes, Shared: f.job.Shared != nil, Failures: []failure{},
	}
	if v.State == "drawing" {
		v.Rate = f.pace.rate(now)
		if v.Rate > 0 {
			v.Left = float64(f.left()) / v.Rate
		}
	}
	for _, k := range slices.Sorted(maps.Keys(f.failures)) {
		if x := f.failures[k]; len(v.Failures) < maxFailures {
			v.Failures = append(v.Failures, failure{k, x.Node, x.Error})
		}
	}
	return v
}

func (f *film) left() int { return f.job.Frames - f.done - len(f.failures) }

func (f *film) state() string {
	switch {
	case f.job.Cancelled:
		return "cancelled"
	case f.job.Finished != nil || f.left() == 0:
		return "finished"
	case f.job.Draft || f.done == 0:
		return "waiting"
	}
	return "drawing"
}

// A pace is when the latest frames came.
type pace struct {
	times []time.Time
}

// paceFrames is how many frames the pace is taken from: enough that nodes which take
// turns do not make it jump.
const paceFrames = 64

func (p *pace) add(now time.Time) {
	if len(p.times) == paceFrames {
		p.times = append(p.times[:0], p.times[1:]...)
	}
	p.times = append(p.times, now)
}

// rate returns frames a second; 0 where there were too few. While none comes it falls.
func (p *pace) rate(now time.Time) float64 {
	n := len(p.times)
	if n < 2 {
		return 0
	}
	span := p.times[n-1].Sub(p.times[0])
	if wait := now.Sub(p.times[n-1]); wait > 2*span/time.Duration(n-1) {
		span += wait
	}
	if span <= 0 {
		return 0
	}
	return float64(n-1) / span.Seconds()
}
