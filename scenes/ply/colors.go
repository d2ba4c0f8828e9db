package ply

import (
	"slices"

	"lockstep/scenes/internal/indexed"
)

// A colorProperties tells which properties of an element are its colour.
type colorProperties struct {
	at    [3]int // indices of properties; the first is -1 if there is no colour
	names [3]string
	scale float64
}

func findColors(e *element) colorProperties {
	for _, names := range [...][3]string{
		{"red", "green", "blue"}, {"diffuse_red", "diffuse_green", "diffuse_blue"},
		{"ambient_red", "ambient_green", "ambient_blue"}, {"r", "g", "b"},
	} {
		c := colorProperties{names: names}
		found := true
		for i, name := range names {
			c.at[i] = e.index(false, name)
			found = found && c.at[i] >= 0
		}
		if !found {
			continue
		}
		switch e.properties[c.at[0]].kind {
		case float32s, float64s:
			c.scale = 255
		case int16s, uint16s:
			c.scale = 1.0 / 257
		default:
			c.scale = 1
		}
		return c
	}
	return colorProperties{at: [3]int{-1, -1, -1}}
}

// colorOf returns the colour of a row, or indexed.NoColor.
func (c *colorProperties) colorOf(r *row) uint32 {
	if c.at[0] < 0 {
		return indexed.NoColor
	}
	n := r.numbers
	return indexed.RGB([3]float64{n[c.at[0]], n[c.at[1]], n[c.at[2]]}, c.scale)
}

// colorOfFace returns the colour of a face. In a text that MeshLab (library VCG) wrote, the row of a face may have a
// list in place of the colour that the header promises: a count, and three numbers from 0 to 1 for each corner. Then
// the result is the mean colour of the corners.
func (c *colorProperties) colorOfFace(r *row) uint32 {
	corners := len(r.list)
	if c.at[0] < 0 || corners == 0 || len(r.extra) == 0 || r.numbers[c.at[0]] != float64(3*corners) {
		return c.colorOf(r)
	}
	list := append(slices.Clone(r.numbers[c.at[0]+1:]), r.extra...)
	if len(list) != 3*corners {
		return c.colorOf(r)
	}
	var mean [3]float64
	for i, v := range list {
		mean[i%3] += v / float64(corners)
	}
	return indexed.RGB(mean, 255)
}
