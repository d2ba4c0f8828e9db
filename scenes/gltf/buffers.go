package gltf

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"lockstep/scenes/gltf/meshopt"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A loadResult holds loaded bytes, or the error of loading them.
type loadResult struct {
	data []byte
	err  error
	done bool
}

// buffer returns the bytes of buffer i, at most as many as the document claims.
func (r *reader) buffer(i integer) ([]byte, error) {
	b, err := entry(r.doc.Buffers, "buffer", i)
	if err != nil {
		return nil, err
	}
	l := &r.buffers[i]
	if !l.done {
		l.done = true
		l.data, l.err = r.load(i, b)
		if l.err == nil && b.ByteLength < 0 {
			l.err = fmt.Errorf("buffer %d claims %d bytes", i, b.ByteLength)
		}
		if l.err == nil {
			l.data = l.data[:min(int64(len(l.data)), int64(b.ByteLength))]
		}
	}
	return l.data, l.err
}

func (r *reader) load(i integer, b *claimedBuffer) ([]byte, error) {
	if b.URI == "" {
		if i == 0 && r.bin != nil {
			return r.bin, nil
		}
		return nil, fmt.Errorf("buffer %d has no bytes", i)
	}
	data, file, err := r.resolveURI(b.URI)
	if err == nil && file != "" {
		data, err = r.readFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("buffer %d: %w", i, err)
	}
	return data, nil
}

// resolveURI returns the data that uri itself contains. If uri names a file in the folder of the mesh, it returns the
// name of the file instead, see format.Input.FindBeside.
func (r *reader) resolveURI(uri string) (data []byte, file string, err error) {
	if rest, ok := cutFold(uri, "data:"); ok {
		kind, text, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasSuffix(strings.ToLower(kind), ";base64") {
			return nil, "", errors.New("data that is not base64")
		}
		if err := r.Reserve(int64(len(text)) / 4 * 3); err != nil {
			return nil, "", err
		}
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		return data, "", err
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		return nil, "", err
	}
	if file, err = r.in.FindBeside(name); err != nil {
		return nil, "", fmt.Errorf("%s: %w", text.Short(name), err)
	}
	return nil, file, nil
}

// cutFold is like strings.CutPrefix, but ignores case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// readFile reads a file beside the mesh. It reads a file only once, even if several buffers name it.
func (r *reader) readFile(name string) ([]byte, error) {
	if l, ok := r.files[name]; ok {
		return l.data, l.err
	}
	data, err := surface.ReadBeside(r.in, name, r.Held)
	if err != nil {
		err = fmt.Errorf("%s: %w", text.Short(name), err)
	}
	r.Held += int64(len(data))
	r.files[name] = loadResult{data: data, err: err}
	return data, err
}

// view returns the bytes of buffer view i and the distance in bytes between its elements. The distance is 0 if the
// document does not state it.
func (r *reader) view(i integer) (data []byte, stride int, err error) {
	v, err := entry(r.doc.BufferViews, "buffer view", i)
	if err != nil {
		return nil, 0, err
	}
	if v.ByteStride < 0 || v.ByteStride > maxStride {
		return nil, 0, fmt.Errorf("buffer view %d: elements are %d bytes apart", i, v.ByteStride)
	}
	if l, ok := r.views[i]; ok {
		return l.data, int(v.ByteStride), l.err
	}
	if c, name := v.Extensions.meshoptView(); c != nil {
		data, err = r.unpackedView(i, c, name)
		return data, int(v.ByteStride), err
	}
	data, err = r.bufferSlice(i, v.Buffer, v.ByteOffset, v.ByteLength)
	if names := v.Extensions.unreadNames(); err != nil && names != "" {
		err = fmt.Errorf("buffer view %d is compressed by %s, which is not read: %w", i, names, err)
	}
	return data, int(v.ByteStride), err
}

// bufferSlice returns `length` bytes of a buffer, starting at `offset`. view is the number of the view for the error
// message.
func (r *reader) bufferSlice(view, buffer, offset, length integer) ([]byte, error) {
	data, err := r.buffer(buffer)
	if err != nil {
		return nil, err
	}
	n := integer(len(data))
	if offset < 0 || length < 0 || offset > n || length > n-offset {
		return nil, fmt.Errorf("buffer view %d: %d bytes from byte %d of a buffer of %d", view, length, offset, n)
	}
	return data[offset : offset+length], nil
}

// unpackedView returns the decompressed bytes of view i, and stores them for later calls of view. name is the extension
// by which the view is compressed.
func (r *reader) unpackedView(i integer, c *meshoptView, name string) ([]byte, error) {
	data, err := r.unpackView(i, c)
	if err != nil {
		err = fmt.Errorf("buffer view %d, compressed by %s: %w", i, name, err)
	}
	r.views[i] = loadResult{data: data, err: err}
	return data, err
}

func (r *reader) unpackView(i integer, c *meshoptView) ([]byte, error) {
	data, err := r.bufferSlice(i, c.Buffer, c.ByteOffset, c.ByteLength)
	if err != nil {
		return nil, err
	}
	if c.Count < 0 || c.ByteStride < 0 || c.ByteStride > 256 || c.Count > 256*integer(len(data)) {
		return nil, fmt.Errorf("%d elements of %d bytes", c.Count, c.ByteStride)
	}
	size := min(int64(c.Count)*int64(c.ByteStride), meshopt.Expansion*int64(len(data)))
	if err := r.unpacking.Spend(r.in, size); err != nil {
		return nil, err
	}
	if err := r.Reserve(size); err != nil {
		return nil, err
	}
	return c.decode(data)
}

// decode decompresses data and applies the filter.
func (c *meshoptView) decode(data []byte) (out []byte, err error) {
	count, size := int(c.Count), int(c.ByteStride)
	switch c.Mode {
	case "ATTRIBUTES":
		out, err = meshopt.DecodeVertices(data, count, size)
	case "TRIANGLES":
		out, err = meshopt.DecodeTriangles(data, count, size)
	case "INDICES":
		out, err = meshopt.DecodeSequence(data, count, size)
	default:
		return nil, fmt.Errorf("unknown mode %s", text.Short(c.Mode))
	}
	if err != nil {
		return nil, err
	}
	switch c.Filter {
	case "", "NONE":
	case "OCTAHEDRAL":
		err = meshopt.Octahedral(out, size)
	case "QUATERNION":
		err = meshopt.Quaternion(out, size)
	case "EXPONENTIAL":
		err = meshopt.Exponential(out, size)
	case "COLOR":
		err = meshopt.Color(out, size)
	default:
		err = fmt.Errorf("unknown filter %s", text.Short(c.Filter))
	}
	return out, err
}

// maxStride is the largest distance in bytes between elements that the specification allows.
const maxStride = 252
