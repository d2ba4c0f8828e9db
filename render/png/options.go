package png

import (
	"errors"
	"fmt"
	"math"
)

// Level selects the balance of speed and size.
type Level int

const (
	// Fast takes one filter and searches repeats briefly: a quarter to a fifth
	// of the time of image/png's BestSpeed at about the same size. Pictures
	// below 256 KiB are treated as by Small.
	Fast Level = iota
	// Small picks a filter for each row and searches longer: about the time of
	// BestSpeed at 0.6 to 1 times its size.
	Small
	// Quick is Fast for pictures of any size: a third of the time of Small for those
	// below 256 KiB, which come by the thousand.
	Quick
)

// Channels says which of a colour picture's channels are stored.
type Channels int

const (
	// ChannelsAuto stores RGB if all alpha is 255 and RGBA otherwise.
	ChannelsAuto Channels = iota
	// ChannelsRGB stores RGB; the alpha bytes are not read.
	ChannelsRGB
	// ChannelsRGBA stores RGBA without looking.
	ChannelsRGBA
	// ChannelsLeast is ChannelsAuto, but stores one grey channel for RGB if
	// they are equal in every pixel: about half the time and two thirds of the bytes.
	// Readers that expect three channels of every file must convert.
	ChannelsLeast
)

// Options says how a picture is written. The zero value is the default.
type Options struct {
	// Level is the compression level; default Fast.
	Level Level
	// Channels concerns EncodeRGBA only; default ChannelsAuto.
	Channels Channels
	// Text holds textual chunks, written before the pixels in this order.
	Text []Text
	// PixelsPerMetre is the resolution in both directions (72 dpi is 2835);
	// 0 writes none.
	PixelsPerMetre uint32
	// Run calls do(i) once for every i in [0, n), in any order and on any
	// goroutines, and returns when all calls have returned. The writer is then
	// used from these goroutines, by one at a time. Nil runs the tasks one
	// after the other on the caller's goroutine. A Run that leaves tasks undone, for
	// example because a context has ended, calls the picture off.
	Run func(n int, do func(i int))
}

// Validate returns all faults of the options, joined, or nil.
func (o *Options) Validate() error {
	var faults []error
	if o.Level < Fast || o.Level > Quick {
		faults = append(faults, fmt.Errorf("png: unknown level %d", o.Level))
	}
	if o.Channels < ChannelsAuto || o.Channels > ChannelsLeast {
		faults = append(faults, fmt.Errorf("png: unknown channels %d", o.Channels))
	}
	if o.PixelsPerMetre > math.MaxInt32 {
		faults = append(faults, fmt.Errorf("png: %d pixels per metre exceed %d", o.PixelsPerMetre, math.MaxInt32))
	}
	for i := range o.Text {
		if err := o.Text[i].validate(); err != nil {
			faults = append(faults, fmt.Errorf("png: text %d: %w", i, err))
		}
	}
	return errors.Join(faults...)
}

// run executes n tasks by the caller's runner, or in sequence.
func (o *Options) run(n int, do func(i int)) {
	if o.Run != nil {
		o.Run(n, do)
		return
	}
	for i := range n {
		do(i)
	}
}
