package gltf

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"lockstep/scenes/internal/surface"
)

// loaded is a buffer, or what is wrong with it.
type loaded struct {
	data []byte
	err  error
	done bool
}

// buffer returns the bytes of a buffer, at most as many as it claims.
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
	data, err := r.resource(b.URI)
	if err != nil {
		return nil, fmt.Errorf("buffer %d: %w", i, err)
	}
	return data, nil
}

// resource returns what a URI holds itself, or the file of the mesh's folder that it
// names.
func (r *reader) resource(uri string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(uri, "data:"); ok {
		kind, text, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasSuffix(kind, ";base64") {
			return nil, errors.New("data that is not base64")
		}
		if err := r.hold(int64(len(text)) / 4 * 3); err != nil {
			return nil, err
		}
		return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		return nil, err
	}
	f, err := r.in.OpenBeside(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := surface.ReadAll(r.in, f, r.held)
	r.held += int64(len(data))
	return data, err
}

// hold asks for room for more bytes.
func (r *reader) hold(bytes int64) error {
	if err := r.in.Allow(0, r.held+bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

// view returns the bytes of a buffer view and the distance of its elements, 0 if it
// does not say.
func (r *reader) view(i integer) (data []byte, stride int, err error) {
	v, err := entry(r.doc.BufferViews, "buffer view", i)
	if err != nil {
		return nil, 0, err
	}
	if v.Extensions.Meshopt != nil {
		return nil, 0, fmt.Errorf("buffer view %d is compressed by EXT_meshopt_compression, which is not read", i)
	}
	data, err = r.buffer(v.Buffer)
	if err != nil {
		return nil, 0, err
	}
	n := integer(len(data))
	if v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > n || v.ByteLength > n-v.ByteOffset {
		return nil, 0, fmt.Errorf("buffer view %d: %d bytes from byte %d of a buffer of %d", i, v.ByteLength, v.ByteOffset, n)
	}
	if v.ByteStride < 0 || v.ByteStride > maxStride {
		return nil, 0, fmt.Errorf("buffer view %d: elements are %d bytes apart", i, v.ByteStride)
	}
	return data[v.ByteOffset : v.ByteOffset+v.ByteLength], int(v.ByteStride), nil
}

// maxStride is the largest distance of elements that the specification allows.
const maxStride = 252
