package recipe

import (
	"context"
	"fmt"
	"strings"

	"lockstep/scenes"
)

// posed reports whether meshes are shown at a time.
func (p *Picture) posed() bool { return p.Time != nil || p.Clip != "" }

// pose returns the time at which meshes are read; nil: as they stand. known has the materials of the mesh, if it was
// read before.
func (p *Picture) pose(known *scenes.Pose) *scenes.Pose {
	if !p.posed() {
		return nil
	}
	pose := &scenes.Pose{Clip: p.Clip, Seconds: deref(p.Time)}
	if known != nil && len(p.Meshes) == 1 {
		pose.Materials = known.Materials
	}
	return pose
}

// reading returns a drawer that reads all meshes of a recipe at its time, and their points in its size.
func (d *Drawer) reading(ctx context.Context, p *Picture) *Drawer {
	r := *d
	r.Read.Pose, r.Read.PointSize = p.pose(d.Read.Pose), p.sizePoints(ctx)
	return &r
}

// samePose reports whether two times are the same.
func samePose(a, b *scenes.Pose) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Clip == b.Clip && a.Seconds == b.Seconds
}

// checkPose returns an error if the first mesh has clips, but not that of the recipe, and warns where it has none.
func (p *Picture) checkPose(in *Input) error {
	switch {
	case !p.posed():
	case len(in.Clips) == 0:
		field := "time"
		if p.Clip != "" {
			field = "clip"
		}
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: picture.%s is ignored: no animation of the file is known", in.Name, field))
	case scenes.FindClip(in.Clips, p.Clip) < 0:
		return unfit(in.Name, "clip", fmt.Sprintf("%q", p.Clip), "expected %s", clipNames(in.Clips))
	}
	return nil
}

// mostNames is how many names of clips a message has.
const mostNames = 10

// clipNames returns the names of clips for people; the number stands for one without.
func clipNames(clips []scenes.Clip) string {
	names := make([]string, 0, mostNames)
	for i, c := range clips[:min(len(clips), mostNames)] {
		if c.Name == "" {
			c.Name = fmt.Sprint(i + 1)
		}
		names = append(names, c.Name)
	}
	if n := len(clips) - mostNames; n > 0 {
		return fmt.Sprintf("%s, or one of %d more", strings.Join(names, ", "), n)
	}
	return orList(names)
}
