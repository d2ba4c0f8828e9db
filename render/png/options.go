package png

import (
	"errors"
	"fmt"
	"math"
)

// Level selects the balance between speed and size.
type Level int

const (
	// Fast uses one filter and searches only briefly for repeated bytes. It takes a quarter to a fifth of the time of
	// image/png's BestSpeed, and its files have about the same size. Pictures below 256 KiB are written as with Small.
	Fast Level = iota
	// Small chooses a filter for each row and searches longer for repeated bytes. It takes about the time of
	// image/png's BestSpeed. Its files have 0.6 to 1 times the size of the files of BestSpeed.
	Small
	// Quick is like Fast, even for pictures below 256 KiB. For such pictures Quick takes a third of the time of
	// Small. This matters when there are thousands of pictures.
	Quick
)

// Channels determines which channels of a colour picture are stored.
type Channels int

const (
	// ChannelsAuto stores RGB if all alpha values are 255, otherwise RGBA.
	ChannelsAuto Channels = iota
	// ChannelsRGB stores RGB and ignores the alpha bytes.
	ChannelsRGB
	// ChannelsRGBA stores RGBA without examining the pixels.
	ChannelsRGBA
	// ChannelsLeast is like ChannelsAuto, but stores one grey channel instead of RGB if R, G and B are equal in every
	// pixel. A grey channel takes about half the time and two thirds of the bytes of RGB. Programs that expect three
	// channels in every file must convert such files.
	ChannelsLeast
)

// Options determine how a picture is written. The zero value means the defaults.
type Options struct {
	// Level is the compression level. The default is Fast.
	Level Level
	// Channels is used only by EncodeRGBA. The default is ChannelsAuto.
	Channels Channels
	// Text holds textual chunks. They are written before the pixels, in this order.
	Text []Text
	// PixelsPerMetre is the resolution in both directions (72 dpi is 2835). 0 means that the file states none.
	PixelsPerMetre uint32
	// Run calls do(i) once for every i in [0, n), in any order and on any goroutines, and returns when all calls have
	// returned. Its goroutines also write to the writer, one at a time. With nil, the tasks run one after the other on
	// the caller's goroutine. If Run skips tasks, for example because a context has ended, encoding fails.
	Run func(n int, do func(i int))
}

// Validate returns all errors of the options, joined, or nil.
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

// run runs n tasks with o.Run. If o.Run is nil, it runs them one after the other.
func (o *Options) run(n int, do func(i int)) {
	if o.Run != nil {
		o.Run(n, do)
		return
	}
	for i := range n {
		do(i)
	}
}
