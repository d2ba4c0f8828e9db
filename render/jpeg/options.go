package jpeg

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// Subsampling determines how many pixels share one sample of colour.
type Subsampling int

const (
	// Subsample420 stores one sample of colour for 2x2 pixels, and the brightness of each pixel.
	Subsample420 Subsampling = iota
	// Subsample444 stores the colour of each pixel. Thin coloured lines stay sharp. Encoding takes about a third more
	// time than with Subsample420, and the file has about a third more bytes.
	Subsample444
)

// DefaultQuality is the quality if Options.Quality is 0.
const DefaultQuality = 90

// Options determine how a picture is written. The zero value means the defaults.
type Options struct {
	// Quality is a number from 1 to 100. 0 means DefaultQuality.
	Quality int
	// Subsampling is 4:2:0 by default.
	Subsampling Subsampling
	// DotsPerInch is the resolution that the file states. 0 means that the file states none.
	DotsPerInch int
	// Rows divides a picture into several files, one below the other. It is the number of rows in each file; the last
	// file has the remaining rows. 0 means one file. If Rows is not 0, each file is written by one call of Write. Rows
	// must be a multiple of 128 (with 4:4:4, of 64). The reason is that restart markers count to eight, and each file
	// must begin with the first marker.
	Rows int
	// Run calls do(i) once for every i in [0, n), in any order and on any goroutines, and returns when all calls have
	// returned. With nil, the tasks run one after the other. If Run skips tasks, for example because a context has
	// ended, encoding fails.
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
	if o.Rows < 0 || o.Rows%(restarts*o.side()) != 0 {
		faults = append(faults, fmt.Errorf("jpeg: files of %d rows: expected a multiple of %d", o.Rows, restarts*o.side()))
	}
	return errors.Join(faults...)
}

// restarts is the number of different restart markers. The markers are used in turn.
const restarts = 8

// side returns the width and height of an MCU in pixels.
func (o *Options) side() int {
	if o.Subsampling == Subsample444 {
		return 8
	}
	return 16
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
