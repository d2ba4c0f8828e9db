package frame

import "lockstep/render/internal/groups"

// The costs of the stage, in triangles that are drawn in the meantime, some 4 ns each: of testing a group, and of copying one.
// They were measured with ten million triangles on a Xeon, and are rounded up.
const (
	testCost = 8
	copyCost = 12
	// insteadShare is the share of the triangles that a frame saves by deferring back faces one by one: less than half of a
	// closed surface, since each is read and projected. Measured in the default look, a million triangles of a bumpy sphere, of
	// which groups hid 0.43, took as long either way, and 400 thousand of a knot, 0.33, a seventh longer by groups.
	insteadShare = 0.43
	// resting is the number of frames without the stage after one that says that it does not pay. A trial is one frame.
	resting = 60
)

// An outcome says how many groups there were in a frame.
type outcome struct {
	drawn    int // how many were drawn at once
	asked    int // how many drawn groups were tested, as samples of what is hidden
	hidden   int // how many of the tested groups were hidden
	deferred int // how many were not drawn at once
	late     int // how many deferred groups were seen after all
}

func (o *outcome) add(p *outcome) {
	o.drawn, o.asked, o.hidden = o.drawn+p.drawn, o.asked+p.asked, o.hidden+p.hidden
	o.deferred, o.late = o.deferred+p.deferred, o.late+p.late
}

// weigh returns what deferring saves in a frame, once history is known, and what it costs, in triangles. instead says that
// without it back faces are deferred.
func (o *outcome) weigh(instead bool) (savings, cost float64) {
	hidden := float64(o.deferred - o.late)
	if o.asked > 0 {
		hidden += float64(o.drawn) * float64(o.hidden) / float64(o.asked)
	}
	shown := float64(o.drawn+o.deferred) - hidden
	if instead {
		hidden -= insteadShare * float64(o.drawn+o.deferred)
	}
	return groups.Size * hidden, testCost*(hidden+shown/patience) + copyCost*shown
}
