package scenes

import "strconv"

// A Clip is an animation that a file has of its own: a dance, or an engine that turns.
type Clip struct {
	Name    string  // empty if the file has none for it
	Seconds float64 // from 0 to its last key; 0 where the file does not say
}

// A Pose is a time of a clip.
type Pose struct {
	// Clip is the name of the clip, or its number, counted from 1. Default: the first one.
	Clip string
	// Seconds is the time since the clip began. Before its first key and behind its last one the mesh stands still.
	Seconds float64
	// Materials, unless nil, are those of the same file read at another time, which are not read again.
	Materials []Material
}

// FindClip returns the index of the clip that a name means, or a number counted from 1: a name goes first. No name
// means the first clip. It is -1 where there is none.
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
