package jpeg

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// Subsampling says how many pixels share one sample of colour.
type Subsampling int

const (
	// Subsample420 stores one sample of colour for 2x2 pixels, and the brightness of each pixel.
	Subsample420 Subsampling = iota
	// Subsample444 stores the colour of each pixel. Thin coloured lines stay sharp, but encoding takes about a third
	// more time and bytes.
	Subsample444
)

// DefaultQuality is the quality if Options.Quality is 0.
const DefaultQuality = 90

// Options say how a picture is written. The zero value has the defaults.
type Options struct {
	// Quality is 1 to 100; 0 means DefaultQuality.
	Quality int
	// Subsampling is 4:2:0 by default.
	Subsampling Subsampling
	// DotsPerInch is the resolution that the file states; 0 means that the file states none.
	DotsPerInch int
	// Run calls do(i) once for every i in [0, n), in any order and on any goroutines, and returns when all calls have
	// returned. If Run is nil, the tasks run one after the other. If Run leaves tasks undone, for example because a
	// context has ended, encoding fails.
	Run func(n int, do func(i int))
}

// Validate returns all errors of the options, joined, or nil.
func (o *Options) Validate() error {
	var faults []error
	if o.Quality < 0 || o.Quality > 100 {
		faults = append(faults, fmt.Errorf("jpeg: a quality of %d: expected 1 to 100, or 0 for the default", o.Quality))
	}
	if o.Subsampling != Subsample420 && o.Subsampling != Subsample444 {
		faults = append(faults, fmt.Errorf("jpeg: unknown subsampling %d", o.Subsampling))
	}
	if o.DotsPerInch < 0 || o.DotsPerInch > math.MaxUint16 {
		faults = append(faults, fmt.Errorf("jpeg: a resolution of %d dots per inch: expected 0, none, to %d", o.DotsPerInch, math.MaxUint16))
	}
	return errors.Join(faults...)
}

func (o *Options) quality() int { return cmp.Or(o.Quality, DefaultQuality) }

func (o *Options) run(n int, do func(i int)) {
	if o.Run != nil {
		o.Run(n, do)
		return
	}
	for i := range n {
		do(i)
	}
}
