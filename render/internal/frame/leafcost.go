package frame

import "lockstep/render/internal/groups"

// testCost and copyCost are the costs of testing and of copying a group. Their unit is the time to draw a triangle,
// some 4 ns. They were measured with ten million triangles on a Xeon, and are rounded up.
const (
	testCost = 8
	copyCost = 12
	// backFaceShare is the share of all triangles that a frame does not draw if it defers back faces one by one. Half
	// of the triangles of a closed surface are back faces. The share is less than half because each back face is still
	// read and projected. It was measured in the default look: a million triangles of a bumpy sphere, 0.43 of which
	// were hidden by groups, took as long either way; 400 thousand triangles of a knot, with 0.33 hidden, took a
	// seventh longer with groups.
	backFaceShare = 0.43
	// restFrames is the number of frames without deferred groups, or without predictions of Hidden, after a frame in
	// which these did not pay. The frame after them tries again.
	restFrames = 60
)

// An outcome counts the groups of a frame by what was done with them.
type outcome struct {
	drawn    int // groups that were drawn at once
	tested   int // groups that were drawn at once and also tested, as a sample of what is hidden
	hidden   int // tested groups that were hidden
	deferred int // groups that were deferred
	late     int // deferred groups that turned out to be visible
}

func (o *outcome) add(p *outcome) {
	o.drawn, o.tested, o.hidden = o.drawn+p.drawn, o.tested+p.tested, o.hidden+p.hidden
	o.deferred, o.late = o.deferred+p.deferred, o.late+p.late
}

// weigh returns how much time deferring groups saves in a frame, once it is known which groups are hidden, and how much
// it costs. The unit of both is the time to draw a triangle. defersBacks is true if frames that do not defer groups
// defer back faces.
func (o *outcome) weigh(defersBacks bool) (savings, cost float64) {
	hidden := float64(o.deferred - o.late)
	if o.tested > 0 {
		hidden += float64(o.drawn) * float64(o.hidden) / float64(o.tested)
	}
	shown := float64(o.drawn+o.deferred) - hidden
	if defersBacks {
		hidden -= backFaceShare * float64(o.drawn+o.deferred)
	}
	return groups.Size * hidden, testCost*(hidden+shown/expectFrames) + copyCost*shown
}
