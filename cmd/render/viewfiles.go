package main

import (
	"context"
	"fmt"
	"io"

	"lockstep/render"
	"lockstep/render/dataset"
	"lockstep/render/png"
)

// paddedNumber returns the number of a view, or of an object in a view, in the form for file names.
func paddedNumber(k int) string { return fmt.Sprintf("%06d", k) }

// writeFiles writes the files of view k, except the picture and the masks.
func (v *viewDrawer) writeFiles(ctx context.Context, d *frameDrawer, k int) error {
	if err := writeFile(d.app, v.filePath("depth", paddedNumber(k)+".png"), func(out io.Writer) error {
		options := d.pngOptions(ctx, nil)
		return d.encoder.EncodeGray16(out, dataset.Depths(v.pic.Depth, v.set.DepthScale), v.pic.Width, v.pic.Width, v.pic.Height, options)
	}); err != nil {
		return err
	}
	numbers := "png"
	if v.mesh.Len() >= mostIds {
		numbers = "exr"
	}
	for _, f := range []struct {
		folder, kind string
		write        func(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, cam *render.Camera, text []png.Text) error
		pic          *render.Picture
	}{
		{"depth_float", "tiff", writeDepth, &v.pic}, {"normals", "png", writeNormals, &v.pic}, {"ids", numbers, writeIds, &v.pic},
		{"parts", "png", writeParts, &v.pic}, {"coverage", "png", writeCoverage, &d.pic},
	} {
		extension := map[string]string{"tiff": ".tif"}[f.kind]
		if extension == "" {
			extension = "." + f.kind
		}
		file := &dataFile{name: v.filePath(f.folder, paddedNumber(k)+extension), kind: f.kind}
		out, err := d.app.create(file.name)
		if err != nil {
			return err
		}
		file.out, file.write = out, f.write
		if err := d.encodeData(ctx, []*dataFile{file}, f.pic, &v.cams[k], nil); err != nil {
			out.Abort()
			return err
		}
		if err := out.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// writeMask writes a mask as a black and white picture of one channel.
func (v *viewDrawer) writeMask(ctx context.Context, d *frameDrawer, name string, mask []uint8) error {
	pix := make([]byte, 4*len(mask))
	for i, m := range mask {
		pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = m, m, m, 0xff
	}
	return writeFile(d.app, name, func(out io.Writer) error {
		options := d.pngOptions(ctx, nil)
		options.Channels = png.ChannelsLeast
		return d.encoder.EncodeRGBA(out, pix, 4*v.size.Width, v.size.Width, v.size.Height, options)
	})
}
