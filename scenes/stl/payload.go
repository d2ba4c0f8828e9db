package stl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/stl/internal/kernel"
)

// By the definition of the format, the 16 bits after a facet are the number of extra bytes that follow it. Nearly every
// program writes 0 there, or a colour without extra bytes. Therefore extra bytes are assumed only if the facets that
// the header claims, each with its extra bytes, end exactly at the end of the file.

// A payload tells whether extra bytes follow the facets.
type payload uint8

const (
	noPayload     payload = iota // no extra bytes
	payloadBegins                // extra bytes follow all facets in the prefix
	payloadWhole                 // the input ends exactly after the last extra bytes
)

// payloadOf returns the payload of an input, judged by its prefix. size is the size of the input, or -1 if it is
// unknown.
func payloadOf(prefix []byte, size int64) payload {
	if len(prefix) < headerSize || sizeMatches(prefix, size) {
		return noPayload
	}
	claimed := headerCount(prefix)
	if size >= 0 && size <= sizeOf(claimed) {
		return noPayload
	}
	at, n, bytes, good, said := headerSize, int64(0), 0, 0, 0
	for ; n < claimed && at+recordSize <= len(prefix); n++ {
		r := [recordSize]byte(prefix[at:])
		follow := int(binary.LittleEndian.Uint16(r[attributeAt:]))
		r[attributeAt], r[attributeAt+1] = 0, 0
		if !isBlank(&r) {
			said++
			if isOrdinary(&r) || hasPlausibleNormal(&r) {
				good++
			}
		}
		at += recordSize + follow
		bytes += follow
	}
	switch {
	case bytes == 0 || good == 0 || 2*good < said:
		return noPayload
	case n == claimed && int64(at) == size:
		return payloadWhole
	case n == claimed && at <= len(prefix):
		return noPayload // the bytes after the facets have another meaning
	}
	return payloadBegins
}

// errNoPayload is the error for an input that has no extra bytes: the facets and their supposed extra bytes do not end
// at the end of the input.
var errNoPayload = errors.New("no bytes behind facets")

// readPayload reads an input with extra bytes after its facets. The error is errNoPayload if it turns out that there
// are none. For a stream, which cannot be read again, `all` is then the whole input.
func readPayload(in *format.Input) (m *scenes.Mesh, rep *scenes.Report, all []byte, err error) {
	var r io.Reader
	if in.Seekable() {
		r = &fileReader{in: in}
	} else {
		if all, err = in.ReadAll(); err != nil {
			return nil, nil, nil, err
		}
		r = bytes.NewReader(all)
	}
	s := stream{in: in, loops: kernel.Best(), mesh: in.NewBuilder(), tally: newTally(), warn: in.Warnings(), spread: true}
	size, err := s.readSpreadRecords(bufio.NewReaderSize(r, probeSize*64), headerCount(in.Prefix))
	if err != nil {
		return nil, nil, all, err
	}
	in.Progress(size) // not earlier, because after an error the file is read again
	m, rep, err = s.finish(size)
	return m, rep, nil, err
}

// readSpreadRecords decodes n facets and skips the extra bytes after each of them. size is the number of bytes read.
func (s *stream) readSpreadRecords(r *bufio.Reader, n int64) (size int64, err error) {
	skip := func(n int) error {
		k, err := r.Discard(n)
		size += int64(k)
		if err == io.EOF {
			return errNoPayload
		}
		return err
	}
	if err := skip(headerSize); err != nil {
		return 0, err
	}
	raw := make([]byte, 0, scenes.BlockSize*recordSize)
	for i := range n {
		record, err := r.Peek(recordSize)
		if err == io.EOF {
			return 0, errNoPayload
		}
		if err != nil {
			return 0, err
		}
		raw = append(append(raw, record[:attributeAt]...), 0, 0)
		if err := skip(recordSize + int(binary.LittleEndian.Uint16(record[attributeAt:]))); err != nil {
			return 0, err
		}
		if len(raw) == cap(raw) || i == n-1 {
			if err := s.in.Context().Err(); err != nil {
				return 0, err
			}
			if err := s.addRecords(raw); err != nil {
				return 0, err
			}
			raw = raw[:0]
		}
	}
	if _, err := r.Peek(1); err != io.EOF {
		if err == nil {
			err = errNoPayload
		}
		return 0, err
	}
	return size, nil
}

// A fileReader reads a file from its start.
type fileReader struct {
	in *format.Input
	at int64
}

// Read implements io.Reader.
func (f *fileReader) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), f.in.Size-f.at))
	if n == 0 {
		return 0, io.EOF
	}
	if err := f.in.ReadAt(p[:n], f.at); err != nil {
		return 0, err
	}
	f.at += int64(n)
	return n, nil
}
