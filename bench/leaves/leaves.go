// Package leaves measures how much time the renderer saves by deferring groups of triangles that are probably hidden.
// It draws meshes of several sizes. Frames with and without deferring are drawn in turn, and their pictures must be
// equal.
//
// With --json it prints a line for each size and zoom, "experiment":"leaves", with the keys triangles, zoom, frames,
// seconds_all, seconds_deferred, ratio, drawn and seconds_leaves. Times are medians of frames in seconds. drawn is the
// number of triangles drawn by frames that may defer groups, divided by the number drawn by the other frames.
package leaves

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// Experiment draws turntables of meshes of several sizes.
type Experiment struct {
	JSON    bool        `name:"json" help:"Print one JSON object a line."`
	Scene   string      `default:"scene:bumpy" help:"Procedural scene; the number of triangles is added to its name."`
	Sizes   []int       `default:"10000,100000,1000000,10000000" help:"Numbers of triangles."`
	Zooms   []float64   `default:"1,8" help:"Magnifications."`
	Frames  int         `default:"24" help:"Measured frames of each turntable; 72 more come before them."`
	Default bool        `help:"Draw the default look, not the flat one of --fast."`
	Plot    report.Path `placeholder:"DIR" help:"Also draw leaves.svg and leaves.png into DIR."`
	Width   int         `default:"1920" help:"Width of the picture in pixels."`
	Height  int         `default:"1080" help:"Height of the picture in pixels."`
}

// A row holds the times of one turntable.
type row struct {
	Experiment string  `json:"experiment"`
	Triangles  int     `json:"triangles"`
	Zoom       float64 `json:"zoom"`
	Frames     int     `json:"frames"`
	All        float64 `json:"seconds_all"`      // median time of frames that draw all groups at once
	Deferred   float64 `json:"seconds_deferred"` // median time of frames that may defer groups
	Ratio      float64 `json:"ratio"`            // Deferred/All
	Drawn      float64 `json:"drawn"`
	Leaves     float64 `json:"seconds_leaves"` // time of finding the groups, once for a mesh
}

func (e *Experiment) check() error {
	switch {
	case e.Frames < 1 || e.Frames > 10000:
		return report.Usagef("--frames %d: expected 1 to 10000", e.Frames)
	case e.Width < 1 || e.Height < 1 || e.Width > 16384 || e.Height > 16384:
		return report.Usagef("--width %d --height %d: expected 1 to 16384 pixels", e.Width, e.Height)
	case len(e.Sizes) == 0 || slices.Min(e.Sizes) < 1 || slices.Max(e.Sizes) > 1<<30:
		return report.Usagef("--sizes: expected numbers of triangles from 1 to %d", 1<<30)
	case len(e.Zooms) == 0 || !(slices.Min(e.Zooms) > 0) || !(slices.Max(e.Zooms) <= 1e6):
		return report.Usagef("--zooms: expected magnifications above 0, up to 1e6")
	case !procedural.IsScene(e.Scene):
		return report.Usagef("--scene %s: expected a procedural scene", e.Scene)
	}
	return nil
}

// Run implements [report.Experiment].
func (e *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.check(); err != nil {
		return err
	}
	var rows []row
	out.Begin("turntables", int64(len(e.Sizes)*len(e.Zooms)))
	defer out.End()
	for _, size := range e.Sizes {
		surface, err := e.makeSurface(ctx, size)
		if err != nil {
			return err
		}
		for _, zoom := range e.Zooms {
			r, err := e.measure(ctx, surface, zoom)
			if err != nil {
				return fmt.Errorf("%s of %d triangles: %w", e.Scene, size, err)
			}
			rows = append(rows, r)
			out.Step(1)
		}
	}
	if e.Plot != "" {
		if err := drawTimes(out.Folder(string(e.Plot)), rows); err != nil {
			return err
		}
	}
	return e.printRows(out, rows)
}

// makeSurface generates the scene with a number of triangles. The default look also needs normals.
func (e *Experiment) makeSurface(ctx context.Context, triangles int) (*render.Surface, error) {
	separator := "?"
	if strings.Contains(e.Scene, "?") {
		separator = "&"
	}
	scene, err := procedural.Parse(fmt.Sprintf("%s%striangles=%d", e.Scene, separator, triangles))
	if err != nil {
		return nil, report.Usagef("%v", err)
	}
	mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		return nil, err
	}
	if !e.Default {
		return &render.Surface{Mesh: mesh}, nil
	}
	return render.NewSurface(ctx, mesh, render.SurfaceOptions{})
}

// warmUp is the number of frames that are drawn before the measured frames. By then the renderer knows which groups are
// hidden, has found whether deferring groups takes longer, and has packed groups that have many triangles per sample.
const warmUp = 72

// measure draws a turntable with two renderers in turn. The mesh turns by a degree from frame to frame.
func (e *Experiment) measure(ctx context.Context, s *render.Surface, zoom float64) (row, error) {
	r := row{Experiment: "leaves", Triangles: s.Len(), Zoom: zoom, Frames: e.Frames}
	var seconds [2][]float64
	var drawn [2]int64
	var pictures [2]render.Picture
	var renderers [2]*render.Renderer
	o := render.Options{Width: e.Width, Height: e.Height}
	if e.Default {
		o = o.Studio()
	}
	for k, policy := range []lb.Policy{lb.Never, lb.CostEffective} {
		o.Leaves = policy
		var err error
		if renderers[k], err = render.New(o); err != nil {
			return r, err
		}
		defer renderers[k].Close()
	}
	for frame := range warmUp + e.Frames {
		cam, err := camera.Fit(s.Bounds(), e.Width, e.Height, camera.Options{Azimuth: float64(30 + frame), Elevation: 20, Zoom: zoom})
		if err != nil {
			return r, err
		}
		for k, renderer := range renderers {
			stats, err := renderer.Frame(ctx, s, cam, &pictures[k])
			if err != nil {
				return r, err
			}
			r.Leaves += stats.Seconds.Leaves.Seconds()
			if frame >= warmUp {
				seconds[k] = append(seconds[k], stats.Seconds.Frame.Seconds())
				drawn[k] += stats.Triangles.Drawn
			}
		}
		if !bytes.Equal(pictures[0].Pix, pictures[1].Pix) {
			return r, fmt.Errorf("frame %d: the picture with deferred groups differs from the one without", frame)
		}
	}
	r.All, r.Deferred = median(seconds[0]), median(seconds[1])
	r.Ratio, r.Drawn = r.Deferred/r.All, float64(drawn[1])/float64(drawn[0])
	return r, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// printRows prints the rows.
func (e *Experiment) printRows(out report.Output, rows []row) error {
	if e.JSON {
		return report.WriteJSON(out.Stdout, rows...)
	}
	var text strings.Builder
	t := report.NewTable(&text)
	fmt.Fprintln(t, "triangles\tzoom\tall at once\tdeferred\tratio\tdrawn\tfinding groups\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%d\t%g\t%s\t%s\t%.2f\t%.3f\t%s\t\n", r.Triangles, r.Zoom, milliseconds(r.All), milliseconds(r.Deferred),
			r.Ratio, r.Drawn, milliseconds(r.Leaves))
	}
	t.Flush()
	return report.WriteText(out.Stdout, &text)
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.2f ms", 1e3*seconds) }
