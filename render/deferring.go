package render

import (
	"lockstep/lb"
	"lockstep/render/internal/frame"
)

// deferNone is called in frames that defer neither polygons nor groups. It empties the two stages `hidden` and
// `leaves`. After a frame that ended in a panic, these stages may still hold polygons, and the last stage would draw
// them.
func (e *engine) deferNone() {
	e.hidden.Begin(frame.HiddenFrame{Workers: len(e.rasters), View: &e.job.view})
	e.leaves.Begin(frame.LeavesFrame{})
}

// beginHidden prepares the stage that defers polygons: it draws them last, and only if they may be visible.
func (e *engine) beginHidden(payloads frame.Payloads) {
	j := &e.job
	f := frame.HiddenFrame{
		Workers: len(e.rasters), View: &j.view, BackRows: j.backRows, HiddenRows: j.hiddenRows, Layout: j.layout, BlockSize: j.blockSize,
		Payloads: payloads, Merge: &e.merge, Keep: e.kernels.Keep, Hidden: e.kernels.Hidden, Geometry: e.kernels.Geometry, Stop: e.cancelledFn,
	}
	switch {
	case f.BackRows == 0 && f.HiddenRows == 0:
	case j.carry == carryNumbers:
		f.Mesh = &e.scene.Block
	default:
		f.Mesh = j.subject.block()
	}
	e.activeStages = append(e.activeStages, &e.hidden)
	e.hidden.Begin(f)
}

// beginLeaves prepares the stage that defers groups of triangles. If groups may be deferred in this frame, it also sets
// b.Leaves.
func (e *engine) beginLeaves(b *frame.BlocksFrame) {
	j := &e.job
	f := frame.LeavesFrame{
		Level:  e.kernels.Level,
		Policy: e.options.Leaves, DefersBacks: j.defersBacks, Workers: len(e.rasters), View: &j.view, Layout: j.layout, BlockSize: j.blockSize, Payloads: b.Payloads,
		Merge: &e.merge, Keep: e.kernels.Keep, Hidden: e.kernels.Hidden, Geometry: e.kernels.Geometry, ZBuffer: e.kernels.ZBuffer,
		Rasters: e.rasters, Stop: e.cancelledFn, Timer: b.Timer, UnitSize: j.unitSize,
	}
	if j.leaves && b.Groups != nil && e.options.Leaves != lb.Never {
		f.Groups = b.Groups
	}
	e.activeStages = append(e.activeStages, &e.leaves)
	if e.leaves.Begin(f) {
		b.Leaves = &e.leaves
	}
}
