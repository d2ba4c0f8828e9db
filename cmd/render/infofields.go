package main

import (
	"fmt"
	"math"

	"lockstep/scenes"
)

// fieldInfo describes a field of numbers that --field can show as colours.
type fieldInfo struct {
	Name       string   `json:"name"`
	Of         string   `json:"of"`         // vertices or triangles
	Components int      `json:"components"` // always 1, because readers make one field per component
	Values     int      `json:"values"`
	Min        *float64 `json:"min"` // least finite number; null if there is none
	Max        *float64 `json:"max"`
	NotNumbers int      `json:"not_numbers"`
	Infinite   int      `json:"infinite"`
}

// fieldsOf describes the fields of a mesh, in the same order as in the file.
func fieldsOf(mesh *scenes.Mesh) []fieldInfo {
	all := []fieldInfo{}
	if mesh == nil || mesh.Attributes == nil {
		return all
	}
	for i := range mesh.Attributes.Fields {
		f := &mesh.Attributes.Fields[i]
		info := fieldInfo{Name: f.Name, Of: "vertices", Components: 1, Values: len(f.Values)}
		if f.OfTriangles {
			info.Of = "triangles"
		}
		for _, v := range f.Values {
			switch {
			case v != v:
				info.NotNumbers++
			case math.IsInf(float64(v), 0):
				info.Infinite++
			}
		}
		if info.NotNumbers+info.Infinite < info.Values {
			low, high := f.Range()
			info.Min, info.Max = &low, &high
		}
		all = append(all, info)
	}
	return all
}

// text describes the field for people.
func (f *fieldInfo) text() string {
	text := fmt.Sprintf("%q of the %s: ", f.Name, f.Of)
	if f.Min == nil {
		text += "no finite number"
	} else {
		text += fmt.Sprintf("%.7g to %.7g", *f.Min, *f.Max)
	}
	if f.NotNumbers > 0 {
		text += fmt.Sprintf(", %d of %d are no number", f.NotNumbers, f.Values)
	}
	if f.Infinite > 0 {
		text += fmt.Sprintf(", %d are infinite", f.Infinite)
	}
	return text
}
