package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"lockstep/internal/phrase"
	"lockstep/render/recipe"
	"lockstep/scenes/distance"
)

// comparison is the output of the command diff. Lengths are in units of the file of mesh A.
type comparison struct {
	A         side      `json:"a"`
	B         side      `json:"b"`
	Unit      float64   `json:"unit,omitempty"` // length of the unit in metres; 0 means unknown
	Forward   direction `json:"a_to_b"`
	Back      direction `json:"b_to_a"`
	Hausdorff float64   `json:"hausdorff"` // larger one of a_to_b.max and b_to_a.max
	Tolerance *float64  `json:"tolerance"` // null without a tolerance
	Within    *bool     `json:"within"`    // whether hausdorff is at most the tolerance
}

// side describes one of the two meshes.
type side struct {
	Path      string  `json:"path"`
	Triangles int     `json:"triangles"`
	LeftOut   int     `json:"left_out"` // triangles without an area, or with a coordinate that is not finite
	Area      float64 `json:"area"`
}

// direction holds the signed distances of one surface from the other.
type direction struct {
	Max      float64    `json:"max"`      // largest magnitude
	At       [3]float64 `json:"at"`       // position of the largest distance, in coordinates of the file of mesh A
	Least    float64    `json:"least"`    // least signed distance; negative means inside the other surface
	Greatest float64    `json:"greatest"` // greatest signed distance; positive means outside the other surface
	Mean     float64    `json:"mean"`     // mean of the magnitude, weighted by area
	RMS      float64    `json:"rms"`      // root of the mean square, weighted by area
	Beyond   *float64   `json:"beyond"`   // fraction of the area farther away than the tolerance; null without a tolerance
	Samples  int        `json:"samples"`  // number of measured points
	Spacing  float64    `json:"spacing"`  // longest distance between neighbouring measured points
}

func describeSide(c *recipe.Compared, i int, m *distance.Measured) side {
	it := [2]distance.Item{c.From, c.To}[i]
	return side{Path: c.Names[i], Triangles: it.Mesh.Len(), LeftOut: m.LeftOut[0], Area: m.Area}
}

func summarizeDistances(m *distance.Measured, t toleranceFlag) direction {
	d := direction{Max: m.Max(), At: m.Farthest, Least: m.Least, Greatest: m.Greatest, Mean: m.Mean, RMS: m.RMS, Samples: m.Samples, Spacing: m.Spacing}
	if t.isSet {
		d.Beyond = new(m.Beyond(t.length))
	}
	return d
}

func (d *comparison) printJSON(out io.Writer) error {
	return json.NewEncoder(out).Encode(d)
}

// print prints a table for people.
func (d *comparison) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, s := range []side{d.A, d.B} {
		left := ""
		if s.LeftOut > 0 {
			left = fmt.Sprintf(", %d left out", s.LeftOut)
		}
		fmt.Fprintf(t, "%c\t%s: %s%s, area %.7g\n", 'A'+i, phrase.OneLine(s.Path), phrase.Plural(int64(s.Triangles), "triangle"), left, s.Area)
	}
	if d.Unit > 0 {
		fmt.Fprintf(t, "lengths\tin units of A, the %s\n", recipe.UnitName(d.Unit))
	} else {
		fmt.Fprint(t, "lengths\tin units of A, which states none (--unit)\n")
	}
	fmt.Fprint(t, "\tA to B\tB to A\n")
	row := func(name string, of func(d *direction) string) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, of(&d.Forward), of(&d.Back))
	}
	number := func(name string, of func(d *direction) float64) {
		row(name, func(d *direction) string { return fmt.Sprintf("%.6g", of(d)) })
	}
	number("largest", func(d *direction) float64 { return d.Max })
	row("  at", func(d *direction) string { return fmt.Sprintf("%.6g,%.6g,%.6g", d.At[0], d.At[1], d.At[2]) })
	// side formats the greatest distance on one side of the other surface. It returns "nowhere" if the surface has no
	// point on that side.
	side := func(distance float64, there bool) string {
		if !there {
			return "nowhere"
		}
		return fmt.Sprintf("%.6g", distance)
	}
	row("outside", func(d *direction) string { return side(d.Greatest, d.Greatest >= 0) })
	row("inside", func(d *direction) string { return side(d.Least, d.Least <= 0) })
	number("mean", func(d *direction) float64 { return d.Mean })
	number("rms", func(d *direction) float64 { return d.RMS })
	if d.Tolerance != nil {
		row(fmt.Sprintf("beyond %g", *d.Tolerance), func(d *direction) string { return fmt.Sprintf("%.4g %% of the area", 100**d.Beyond) })
	}
	row("measured", func(d *direction) string { return fmt.Sprintf("%d places, %.3g apart", d.Samples, d.Spacing) })
	return t.Flush()
}
