// Package surface decodes the pictures of textures. It also computes the colours of triangles for flat shading.
package surface

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/url"
	"path"
	"strings"

	_ "golang.org/x/image/webp" // registers the WebP decoder

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/ktx"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tga"
	"lockstep/vp/hugepages"
)

// Limits of pictures. The size that a header claims is accepted only if the file has enough bytes for this size. In
// JPEG, and in PNG with 32 bits for each pixel, a byte holds at most perByte pixels. In TGA and BMP a byte holds fewer
// pixels. In KTX 2 a byte seldom holds more. Every picture may have freePixels more pixels, because small pictures of
// one colour are packed more tightly.
const (
	maxPixels   = 1 << 26
	freePixels  = 1 << 22
	perByte     = 256
	maxFileSize = 256 << 20
)

// pixelsKey is the key of the budget for the pixels of all pictures of an input. Textures may refer to the same bytes
// repeatedly, so a limit for each picture is not enough.
type pixelsKey struct{}

func newPixels() *format.Budget {
	return &format.Budget{Unit: "pixels of textures", Free: 1 << 25, PerByte: perByte}
}

// Decode decodes a picture in the format PNG, JPEG, GIF, WebP, BMP, TGA or KTX 2. held is the number of bytes that the
// reader itself holds.
func Decode(in *format.Input, data []byte, held int64) (*image.NRGBA, error) {
	if isTIFF(data) {
		return nil, unsupportedError(data)
	}
	config, err := decodeConfig(data)
	if errors.Is(err, image.ErrFormat) {
		return nil, unsupportedError(data)
	}
	if err != nil {
		return nil, err
	}
	w, h := int64(config.Width), int64(config.Height)
	if w <= 0 || h <= 0 || w > maxPixels || h > maxPixels || w*h > maxClaim(data) {
		return nil, fmt.Errorf("%d bytes claim to be a picture of %dx%d pixels", len(data), w, h)
	}
	if err := format.Once(in, pixelsKey{}, newPixels).Spend(in, w*h); err != nil {
		return nil, err
	}
	// The decoder's picture takes 4 bytes for each pixel, and the result takes 4 more.
	if err := in.Allow(0, held+int64(len(data))+8*w*h); err != nil {
		return nil, err
	}
	if err := in.Context().Err(); err != nil {
		return nil, err
	}
	d := takeDecoded(in, data)
	return d.picture, d.err
}

// Signatures of TIFF files. TIFF is never decoded, even if the program has registered a decoder for other purposes.
// So a mesh with a TIFF texture gives the same result in every program.
const (
	tiffLow  = "II*\x00"
	tiffHigh = "MM\x00*"
)

// isTIFF reports whether data is a TIFF file.
func isTIFF(data []byte) bool {
	return bytes.HasPrefix(data, []byte(tiffLow)) || bytes.HasPrefix(data, []byte(tiffHigh))
}

// unreadKinds lists kinds of files that meshes may name as textures but that cannot be read, with their first bytes.
var unreadKinds = []struct{ mark, kind string }{
	{"DDS ", "a DDS picture"},
	{"\xabKTX ", "a KTX picture of version 1"},
	{tiffLow, "a TIFF picture"},
	{tiffHigh, "a TIFF picture"},
	{"8BPS", "a Photoshop picture"},
	{"v/1\x01", "an OpenEXR picture"},
	{"#?RADIANCE", "a Radiance picture"},
	{"\x00\x00\x00\x0cjP", "a JPEG 2000 picture"},
	{"<svg", "an SVG picture"},
	{"<?xml", "XML"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, in the place of a file that was not fetched"},
}

// unsupportedError returns the error for a file of an unsupported format. It names the kind of file if it recognises
// it.
func unsupportedError(data []byte) error {
	kind := "of an unknown format"
	// TGA has no signature, so even a header that can be decoded may belong to another kind of file.
	if _, err := tga.DecodeConfig(data); errors.Is(err, tga.ErrEnd) {
		kind = "a TGA picture that ends within its pixels, or of an unknown format"
	}
	if len(data) == 0 {
		kind = "empty"
	}
	for _, k := range unreadKinds {
		if bytes.HasPrefix(data, []byte(k.mark)) {
			kind = k.kind
		}
	}
	return fmt.Errorf("it is %s: expected PNG, JPEG, GIF, WebP, BMP, TGA or KTX 2", kind)
}

// decode decodes a picture. It turns panics into errors, because the decoders of other projects have panicked on
// damaged files. A colour that is not in the palette of a picture also causes a panic.
func decode(data []byte) (p *image.NRGBA, err error) {
	defer recoverError(&err)
	if isKTX(data) {
		return ktx.Decode(data)
	}
	var m image.Image
	if isBMP(data) {
		m, err = decodeBMP(data)
	} else {
		m, _, err = image.Decode(bytes.NewReader(data))
	}
	if isProbablyTGA(data, err) {
		return tga.Decode(data)
	}
	if err != nil {
		return nil, err
	}
	if p, ok := m.(*image.NRGBA); ok && p.Rect.Min == (image.Point{}) {
		return p, nil
	}
	return toNRGBA(m), nil
}

// toNRGBA converts a picture to straight (not premultiplied) alpha.
func toNRGBA(m image.Image) *image.NRGBA {
	size := m.Bounds().Size()
	p := &image.NRGBA{Pix: hugepages.Make[uint8](4 * size.X * size.Y), Stride: 4 * size.X, Rect: image.Rect(0, 0, size.X, size.Y)}
	var to draw.Image = p
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() {
		// For opaque pictures, straight and premultiplied alpha are the same. Package draw writes to an image.RGBA ten
		// times faster.
		to = &image.RGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}
	}
	draw.Draw(to, p.Rect, m, m.Bounds().Min, draw.Src)
	return p
}

func decodeConfig(data []byte) (c image.Config, err error) {
	defer recoverError(&err)
	if isKTX(data) {
		return ktx.DecodeConfig(data)
	}
	if isBMP(data) {
		return bmpConfig(data)
	}
	c, _, err = image.DecodeConfig(bytes.NewReader(data))
	if isProbablyTGA(data, err) {
		return tga.DecodeConfig(data)
	}
	return c, err
}

func isKTX(data []byte) bool { return bytes.HasPrefix(data, []byte(ktx.Mark)) }

// isProbablyTGA reports whether data is probably a TGA picture. err is the error of package image, which recognises
// formats by their signatures. For TGA it is image.ErrFormat, because TGA has no signature.
func isProbablyTGA(data []byte, err error) bool {
	return errors.Is(err, image.ErrFormat) && tga.Likely(data)
}

func recoverError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the decoder failed: %v", p)
	}
}

// DecodeBeside decodes a picture that a mesh refers to by name. Each file is read only once, even if several names lead
// to it. The places are tried in this order:
//
//   - the folder called folder, if that is not empty
//   - the place beside the mesh, see Input.OpenBeside
//   - the last element of the name
//   - the name with URL escapes decoded (a%20b.png)
func DecodeBeside(in *format.Input, folder, name string, held int64) (*image.NRGBA, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	names := []string{path.Join(folder, name), name, path.Base(name)}
	if strings.Contains(name, "://") {
		names = names[1:]
	}
	if plain, err := url.PathUnescape(name); err == nil && plain != name {
		names = append(names, path.Join(folder, plain), path.Base(strings.ReplaceAll(plain, `\`, "/")))
	}
	found, err := in.FindBeside(names[0])
	for _, other := range names[1:] {
		if err == nil {
			break
		}
		if one, otherErr := in.FindBeside(other); otherErr == nil {
			found, err = one, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return DecodeFile(in, found, held)
}

// A decodeResult holds the result of decoding a picture.
type decodeResult struct {
	picture *image.NRGBA
	err     error
}

// pictureKey is the key of the decoded picture of a file.
type pictureKey struct{ name string }

// DecodeFile decodes the picture in a file. name is a result of Input.FindBeside. Further calls with the same name
// return the same result.
func DecodeFile(in *format.Input, name string, held int64) (*image.NRGBA, error) {
	d := format.Once(in, pictureKey{name}, func() decodeResult {
		data, err := ReadBeside(in, name, held)
		if err != nil {
			return decodeResult{err: err}
		}
		p, err := Decode(in, data, held)
		return decodeResult{p, err}
	})
	return d.picture, d.err
}

// ReadBeside reads a file of at most 256 MiB. name is a result of Input.FindBeside.
func ReadBeside(in *format.Input, name string, held int64) ([]byte, error) {
	f, err := in.OpenBeside(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() > maxFileSize {
		return nil, fmt.Errorf("%d bytes are more than the %d of a file beside a mesh", st.Size(), maxFileSize)
	}
	if err := in.Allow(0, held+st.Size()); err != nil {
		return nil, err
	}
	if err := in.CountBeside(st.Size()); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize))
	if err == nil {
		err = in.Context().Err()
	}
	return data, err
}

// WarnMissing adds a warning about a picture or another file beside a mesh that could not be read. It returns an error
// if reading must end, because of a limit, the context, or a strict read.
func WarnMissing(in *format.Input, warn *format.Warnings, place, what string, err error) error {
	var limit *scenes.LimitError
	if errors.As(err, &limit) {
		return limit
	}
	if ctxErr := in.Context().Err(); ctxErr != nil {
		return ctxErr
	}
	return warn.Add(place, "%s: %s", what, text.OneLine(strings.ReplaceAll(err.Error(), "\n", "; ")))
}
