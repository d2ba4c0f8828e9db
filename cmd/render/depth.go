package main

import (
	"context"
	"fmt"
	"math"

	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/png"
)

// encodeDepth writes the depths of pic to out, unless out is nil.
func (w *pipeline) encodeDepth(ctx context.Context, out outFile, pic *render.Picture, text []png.Text) error {
	if out == nil {
		return nil
	}
	defer w.timeEncoding()()
	if w.depthKind == "tiff" {
		return atomicfile.Failure(encode.FloatTIFF(out, pic.Depth, pic.Width, pic.Height))
	}
	near, far := depthRange(pic.Depth)
	text = append(text[:len(text):len(text)], png.Text{
		Keyword: "Depth",
		Value:   fmt.Sprintf("near=%.9g far=%.9g: 0 is empty, v>0 is near+(far-near)*(v-1)/65534 mesh units along the view", near, far),
	})
	return atomicfile.Failure(w.encoder.EncodeGray16(out, quantizeDepth(pic.Depth, near, far), pic.Width, pic.Width, pic.Height, w.pngOptions(ctx, text)))
}

// depthRange returns the least and the greatest finite depth.
func depthRange(depths []float32) (near, far float64) {
	near, far = math.Inf(1), math.Inf(-1)
	for _, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			near, far = min(near, v), max(far, v)
		}
	}
	return near, far
}

// quantizeDepth maps depths linearly to 1..65535, near to far; infinite ones,
// where nothing was drawn, to 0.
func quantizeDepth(depths []float32, near, far float64) []uint16 {
	steps := 0.0 // a flat picture is all near
	if far > near {
		steps = 65534 / (far - near)
	}
	grey := make([]uint16, len(depths))
	for i, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			grey[i] = uint16(1 + math.RoundToEven(float64((v-near)*steps)))
		}
	}
	return grey
}
