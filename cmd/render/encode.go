package main

import (
	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/png"
	"lockstep/render/recipe"
)

// checkWebP refuses pictures that are too large for WebP.
func checkWebP(name string, size recipe.Size) error {
	if size.Width > encode.MostWebP || size.Height > encode.MostWebP {
		return cli.Usagef("%s: WebP holds at most %dx%d pixels: expected .png or .tif", name, encode.MostWebP, encode.MostWebP)
	}
	return nil
}

// noDPI warns of a file that cannot state the resolution that was asked for.
func (a *app) noDPI(name string, dpi int) {
	if dpi > 0 {
		a.Warn("%s: files of this format state no resolution: --dpi is left out", name)
	}
}

// jpegQuality keeps edges clean on a light background.
const jpegQuality = 93

// encodeAs writes pic in a format beside PNG.
func (w *pipeline) encodeAs(out outFile, pic *render.Picture) (err error) {
	switch w.kind {
	case "jpeg":
		err = encode.JPEG(out, pic.Pix, pic.Width, pic.Height, jpegQuality, w.dpi)
	case "bmp":
		err = encode.BMP(out, pic.Pix, pic.Width, pic.Height, w.dpi)
	case "webp":
		err = encode.WebP(out, pic.Pix, pic.Width, pic.Height, w.small)
	case "tiff":
		channels := 4
		if w.channels == png.ChannelsRGB {
			channels = 3
		}
		err = encode.TIFF(out, pic.Pix, pic.Width, pic.Height, channels, w.dpi)
	}
	return atomicfile.Failure(err)
}
