package format_test

import (
	"bytes"
	"context"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// raw reads RAW triangles. Each line of the text has the nine coordinates of a triangle.
type raw struct{}

func (raw) Names() []string { return []string{"raw"} }

func (raw) Detect(prefix []byte, _ int64) format.Likelihood {
	first, _, _ := bytes.Cut(prefix, []byte("\n"))
	if _, ok := corners(first); ok {
		return format.Likely
	}
	return format.No
}

func (raw) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	text, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	n, triangles, warnings := 0, in.NewBuilder(), in.Warnings()
	for line := range bytes.Lines(text) {
		n++
		if c, ok := corners(line); ok {
			err = triangles.Add(c)
		} else { // leave out the triangle, or end a strict read
			err = warnings.Add(fmt.Sprintf("line %d", n), "expected nine numbers")
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return triangles.Mesh("raw", warnings)
}

func corners(line []byte) (c [3][3]float32, ok bool) {
	_, err := fmt.Sscan(string(line), &c[0][0], &c[0][1], &c[0][2], &c[1][0], &c[1][1], &c[1][2], &c[2][0], &c[2][1], &c[2][2])
	return c, err == nil
}

func Example() {
	file := bytes.NewReader([]byte("0 0 0 1 0 0 0 1 0\n1 0 0 1 1\n0 0 0 0 1 0 0 0 2\n"))
	mesh, report, err := format.Read(context.Background(), file, scenes.ReadOptions{Name: "a.raw"}, raw{})
	if err != nil {
		panic(err)
	}
	fmt.Println(mesh.Len(), "triangles up to", report.Bounds.Max, report.Warnings)
	// Output: 2 triangles up to [1 1 2] [a.raw: line 2: expected nine numbers]
}
