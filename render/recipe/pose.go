package recipe

import (
	"context"
	"fmt"
	"strings"

	"lockstep/scenes"
)

// posed reports whether the recipe shows animated meshes at a chosen time.
func (p *Picture) posed() bool { return p.Time != nil || p.Clip != "" }

// pose returns the moment at which meshes are read; nil means that meshes are read at rest. If the mesh was read
// before, known holds its materials.
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

// atPose returns a copy of the drawer that reads meshes at the time of the recipe, with the size of points of the
// recipe.
func (d *Drawer) atPose(ctx context.Context, p *Picture) *Drawer {
	r := *d
	r.Read.Pose, r.Read.PointSize = p.pose(d.Read.Pose), p.sizePoints(ctx)
	return &r
}

// samePose reports whether two poses are at the same moment of the same clip.
func samePose(a, b *scenes.Pose) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Clip == b.Clip && a.Seconds == b.Seconds
}

// checkPose returns an error if the first mesh has clips, but not the clip of the recipe. If the mesh has no clips at
// all, checkPose only warns that the time is ignored.
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

// mostNames is the greatest number of clips that a message lists.
const mostNames = 10

// clipNames lists the names of clips for messages. A clip without a name is listed by its number.
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
