package main

import (
	"fmt"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/vp/isa"
)

// drawFlags are the flags of every command that draws.
type drawFlags struct {
	Mesh pathFlag `arg:"" name:"mesh" help:"Mesh file, - for standard input, or a scene."`

	Size sizeFlag     `short:"s" default:"1920x1080" placeholder:"WxH" help:"Pixels: WxH, W,H or N for a square (${default})."`
	View viewFlag     `default:"30,20" placeholder:"VIEW" help:"AZ,EL in degrees, front, left, top, iso ... (${default})."`
	Zoom positiveFlag `default:"1" placeholder:"F" help:"Magnify about the picture's centre (${default})."`
	upFlags
	Projection string  `enum:"perspective,orthographic" default:"perspective" placeholder:"KIND" help:"perspective or orthographic (${default})."`
	Fov        fovFlag `default:"30" placeholder:"DEG" help:"Vertical field of view in degrees (${default})."`

	lookFlags
	eyeFlags
	annotateFlags
	sectionFlags
	Config configFlag `placeholder:"FILE" help:"TOML file of values for flags."`
	DPI    dpiFlag    `name:"dpi" placeholder:"N" help:"Resolution that files state, in dots per inch."`
	Small  bool       `group:"data" help:"Smaller files, in more time."`

	readFlags
	meshFormat string          // of the mesh; empty: the contents decide
	given      map[string]bool // names of the flags of the command line
	cropped    cropFlag        // the part that pictures are, if set
	drawn      bool            // one picture, whose size is checked by the command: it may be larger than a renderer draws

	Workers workersFlag `default:"0" placeholder:"N" help:"Worker threads (0: one a core)."`
	Stats   statsFlag   `placeholder:"KIND" help:"Statistics on standard error: text or json."`

	Isa     string    `group:"balancing" enum:"auto,generic,avx2,avx512" default:"auto" placeholder:"SET" help:"Instruction set: auto (the best of this processor), generic, avx2 or avx512 (${default})."`
	Balance lb.Policy `group:"balancing" enum:"never,always,cost" default:"cost" placeholder:"WHEN" help:"When loops move work to idle lanes: never, always, or cost, where that saves more than it costs (${default})."`
	Explain bool      `group:"balancing" help:"Print on standard error, after the work, how much time balancing saved, and then what was moved, the estimated cost and what came of it: a line for each loop."`
	Trace   pathFlag  `group:"balancing" placeholder:"FILE" help:"Also write what the lockstep loops did, iteration by iteration, for render bench trace: JSON lines. Frames take longer."`
}

// setGiven notes which flags the command line has.
func (f *drawFlags) setGiven(names map[string]bool) { f.given = names }

// check refuses flags that make no sense together or that this version cannot
// honour.
func (f *drawFlags) check(a *app) error {
	if f.Bounds && f.Fit == "auto" {
		f.Fit = "box"
	}
	unheeded := f.lookFlags.unheeded()
	f.resolve(f.Size)
	if err := f.lookFlags.check(); err != nil {
		return err
	}
	if err := f.eyeFlags.check(); err != nil {
		return err
	}
	if err := f.annotateFlags.check(f.Field); err != nil {
		return err
	}
	if _, err := isa.Select(f.Isa); err != nil {
		return usagef("--isa %s: %w", f.Isa, err)
	}
	if err := checkWorkers(int(f.Workers)); err != nil {
		return err
	}
	for _, warning := range unheeded {
		a.warn("%s", warning)
	}
	// Before there is a temporary file that a lack of memory would leave behind.
	a.measure()
	if f.drawn {
		return nil
	}
	if most := f.Samples.most(); f.Size.Width > most || f.Size.Height > most {
		return usagef("--size %dx%d: expected at most %dx%d with --samples %d", f.Size.Width, f.Size.Height, most, most, f.Samples)
	}
	return a.room.check(f.options())
}

// options returns the renderer's options.
func (f *drawFlags) options() render.Options {
	o := render.Options{
		Width:   f.Size.Width,
		Height:  f.Size.Height,
		Workers: int(f.Workers),
		Pin:     true,
		Balance: f.Balance,
		ISA:     f.Isa,
	}
	f.lookFlags.set(&o)
	if f.edits() {
		o.Color = nil // the mesh gets it, beside that of the cuts
	}
	if annotations := f.annotations(); annotations.NeedsDepth() {
		o.Depth = true
	}
	o.Coverage = f.Ground || f.cropped.set
	return o
}

// camera returns the options of a camera for an input.
func (f *drawFlags) camera(in *input) render.CameraOptions {
	return render.CameraOptions{
		Up:           f.Up.of(in),
		Azimuth:      f.View.Azimuth,
		Elevation:    f.View.Elevation,
		FieldOfView:  float64(f.Fov),
		Orthographic: f.Projection == "orthographic",
		Zoom:         float64(f.Zoom),
	}
}

// text describes, for the picture's text, the options that change pixels or their size.
func (f *drawFlags) text() string {
	text := f.lookFlags.text() + f.annotateFlags.text() + f.sectionFlags.text()
	if f.cropped.set {
		text += " crop=" + f.cropped.text
	}
	if f.Bounds || f.ScaleBar {
		text += f.Unit.text()
	}
	if f.DPI > 0 {
		text += fmt.Sprintf(" dpi=%d", f.DPI)
	}
	return text
}
