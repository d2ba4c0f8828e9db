package ground

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/render"
	"lockstep/render/internal/surface"
)

// A Backdrop is the part of a picture behind the mesh.
type Backdrop struct {
	// Top and Bottom are the colours of the first and of the last row of the picture. The colours of other rows are
	// interpolated between them. Both are nil for a transparent background.
	Top, Bottom *render.RGB
	// Ground is the shadow on the ground. It is nil without a shadow.
	Ground *Ground
}

// A preparedBackdrop is a Backdrop that is prepared for pictures of one camera and size.
type preparedBackdrop struct {
	*Backdrop
	view   *shadowView // nil if pictures show no shadow
	height int         // height of the whole picture
	colors *surface.Colors
}

// Lay draws the backdrop behind the mesh of pic. pic must have been drawn without a background. pic may be a part of a
// larger picture: it holds rows from row `top` on of a picture with `height` rows.
func (b *Backdrop) Lay(ctx context.Context, pic *render.Picture, cam *render.Camera, height, top int) error {
	if ctx == nil || pic == nil || cam == nil || b == nil {
		return errors.New("ground: expected a context, a backdrop, a picture and a camera, not nil")
	}
	if (b.Top == nil) != (b.Bottom == nil) {
		return errors.New("ground: expected two colours of a backdrop, or none")
	}
	if pic.Width < 0 || pic.Height < 0 || len(pic.Pix) != 4*pic.Width*pic.Height || top < 0 || top > height-pic.Height {
		return fmt.Errorf("ground: %d bytes, rows from %d on of %d: expected 4 bytes for each of %dx%d pixels, and rows of the picture",
			len(pic.Pix), top, height, pic.Width, pic.Height)
	}
	l := preparedBackdrop{Backdrop: b, height: height, colors: surface.NewColors()}
	if b.Ground != nil {
		l.view = b.Ground.viewFor(cam, pic.Width, height)
	}
	if l.view == nil && b.Top == nil {
		return nil
	}
	var next atomic.Int64
	var done sync.WaitGroup
	const rows = 16 // number of rows that a goroutine draws at a time
	for range min(runtime.GOMAXPROCS(0), (pic.Height+rows-1)/rows) {
		done.Go(func() {
			var ramp ramp
			for y := int(next.Add(rows) - rows); y < pic.Height && ctx.Err() == nil; y = int(next.Add(rows) - rows) {
				for row := y; row < min(y+rows, pic.Height); row++ {
					l.drawRow(pic.Pix[4*row*pic.Width:4*(row+1)*pic.Width], top+row, &ramp)
				}
			}
		})
	}
	done.Wait()
	return ctx.Err()
}

// Color returns the colour of a row where no shadow lies. `height` is the number of rows of the whole picture. Top and
// Bottom must not be nil.
func (b *Backdrop) Color(row, height int) render.RGB {
	if *b.Top == *b.Bottom || height < 2 {
		return *b.Top
	}
	var mixed render.RGB
	for shift := 0; shift < 24; shift += 8 {
		from, to := int(*b.Top>>shift&255), int(*b.Bottom>>shift&255)
		// The quotient is rounded to the nearest integer. Its numerator is never negative.
		mixed |= render.RGB((2*(from*(height-1-row)+to*row)+height-1)/(2*(height-1))) << shift
	}
	return mixed
}

// A ramp holds the pixels of one background colour at every darkness of the shadow, from full light to none. Rows of
// the same colour share a ramp.
type ramp struct {
	color  render.RGB
	pixels [shades + 1]uint32 // pixel of each step of darkness, R in the lowest byte; 0 means not computed yet
}

// shades is the number of steps of a ramp. On a white background, one step of the ramp is a fifth of a step of an sRGB
// channel.
const shades = 1024

// set computes the ramp of color, unless the ramp already has that colour.
func (r *ramp) set(color render.RGB, l *preparedBackdrop) {
	if r.pixels[0] != 0 && r.color == color {
		return
	}
	r.color = color
	linear := l.colors.Linear(uint32(color))
	for i := range r.pixels {
		lit := 1 - float32(i)/shades
		r.pixels[i] = l.colors.Pixel([3]float32{lit * linear[0], lit * linear[1], lit * linear[2]}, surface.Light{Diffuse: 1})
	}
}

// drawRow draws the backdrop behind a row of pixels. The parameter line is the row's number in the whole picture.
func (l *preparedBackdrop) drawRow(pix []byte, line int, ramp *ramp) {
	var shadow shadowRow
	if l.view != nil {
		shadow = l.view.row(line, len(pix)/4)
	}
	if l.Top == nil {
		for i := shadow.lo; i < shadow.hi; i++ {
			if px := pix[4*i : 4*i+4 : 4*i+4]; px[3] != 255 {
				if shade := l.Ground.shade(&shadow, i); shade > 0 {
					l.addShadow(px, shade)
				}
			}
		}
		return
	}
	color := l.Color(line, l.height)
	linear := l.colors.Linear(uint32(color))
	l.fillUnshaded(pix[:4*shadow.lo], color, &linear)
	if shadow.lo < shadow.hi {
		ramp.set(color, l)
	}
	for i := shadow.lo; i < shadow.hi; i++ {
		px := pix[4*i : 4*i+4 : 4*i+4]
		if px[3] == 255 {
			continue
		}
		switch shade := l.Ground.shade(&shadow, i); {
		case !(shade > 0):
			l.fillUnshaded(px, color, &linear)
		case px[3] == 0:
			binary.LittleEndian.PutUint32(px, ramp.pixels[int32(float32(shade*shades)+0.5)])
		default:
			l.blendBehind(px, &linear, shade)
		}
	}
	l.fillUnshaded(pix[4*shadow.hi:], color, &linear)
}

// fillUnshaded draws the background behind pixels without a shadow. The parameter linear is color in linear light.
func (l *preparedBackdrop) fillUnshaded(pix []byte, color render.RGB, linear *[3]float32) {
	r, g, b := uint8(color>>16), uint8(color>>8), uint8(color)
	for i := 0; i+4 <= len(pix); i += 4 {
		switch px := pix[i : i+4 : i+4]; px[3] {
		case 255:
		case 0:
			px[0], px[1], px[2], px[3] = r, g, b, 255
		default:
			l.blendBehind(px, linear, 0)
		}
	}
}

// blendBehind draws a background, in linear light, behind a pixel. shade is the fraction of its light that a shadow
// takes away.
func (l *preparedBackdrop) blendBehind(px []byte, background *[3]float32, shade float32) {
	alpha := float32(px[3]) / 255
	behind := float32((1 - alpha) * (1 - shade))
	mixed := l.colors.Linear(uint32(px[0])<<16 | uint32(px[1])<<8 | uint32(px[2]))
	for c := range mixed {
		mixed[c] = float32(mixed[c]*alpha) + float32(behind*background[c])
	}
	px[3] = 255
	l.setColor(px, mixed)
}

// addShadow draws a shadow behind a pixel of a picture without a background. The shadow is black with opacity shade.
func (l *preparedBackdrop) addShadow(px []byte, shade float32) {
	alpha := float32(px[3]) / 255
	total := alpha + float32((1-alpha)*shade)
	mixed := l.colors.Linear(uint32(px[0])<<16 | uint32(px[1])<<8 | uint32(px[2]))
	for c := range mixed {
		mixed[c] = float32(mixed[c]*alpha) / total
	}
	px[3] = uint8(min(float32(total*255)+0.5, 255))
	l.setColor(px, mixed)
}

// setColor sets the colour of a pixel, and does not change its alpha.
func (l *preparedBackdrop) setColor(px []byte, linear [3]float32) {
	v := l.colors.Pixel(linear, surface.Light{Diffuse: 1})
	px[0], px[1], px[2] = uint8(v), uint8(v>>8), uint8(v>>16)
}
