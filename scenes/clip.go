package scenes

import "strconv"

// A Clip is an animation that a mesh file contains, such as a walking figure or a running engine.
type Clip struct {
	Name    string  // empty if the file does not name the clip
	Seconds float64 // length, from time 0 to the last keyframe; 0 if unknown
}

// A Pose selects a moment of a clip.
type Pose struct {
	// Clip is the name of the clip, or its number, counted from 1. Default: the first clip.
	Clip string
	// Seconds is the time since the start of the clip. Before the first keyframe and after the last one, the mesh does
	// not move.
	Seconds float64
	// Materials, if not nil, are the materials from an earlier read of the same file. The reader then uses them and
	// does not read materials again.
	Materials []Material
}

// FindClip returns the index of the clip called name. If no clip has this name and name is a number, it is taken as
// the number of the clip, counted from 1. An empty name means the first clip. The result is -1 if there is no such
// clip.
func FindClip(clips []Clip, name string) int {
	if name == "" {
		return min(len(clips), 1) - 1
	}
	for i := range clips {
		if clips[i].Name == name {
			return i
		}
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(clips) {
		return n - 1
	}
	return -1
}
