package gltf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// Names of both kinds of glTF in reports.
const (
	FormatJSON   = "gltf"
	FormatBinary = "glb"
)

var magic = []byte("glTF")

// Types of the chunks of a binary container.
const (
	chunkJSON   = 0x4E4F534A
	chunkBinary = 0x004E4942
)

// splitContainer returns the two parts of a binary container: the JSON document and the buffer.
func splitContainer(in *format.Input, warn *format.Warnings, data []byte) (doc, bin []byte, err error) {
	if len(data) < 20 {
		return nil, nil, in.Damage("byte 0", "%d bytes are too few for a container", len(data))
	}
	if version := binary.LittleEndian.Uint32(data[4:]); version != 2 {
		if version == 1 {
			return nil, nil, in.Damage("byte 4", "version 1.0 of glTF, expected 2.0")
		}
		return nil, nil, in.Damage("byte 4", "version %d of the container, expected 2", version)
	}
	if claim := int64(binary.LittleEndian.Uint32(data[8:])); claim != int64(len(data)) {
		if err := warn.Add("byte 8", "the container claims %d bytes, the file has %d", claim, len(data)); err != nil {
			return nil, nil, err
		}
	}
	for at, n := int64(12), 0; at+8 <= int64(len(data)); n++ {
		size, kind := int64(binary.LittleEndian.Uint32(data[at:])), binary.LittleEndian.Uint32(data[at+4:])
		body := data[at+8:]
		if size > int64(len(body)) {
			if err := warn.Add(byteAt(at), "chunk %d claims %d bytes, %d follow", n, size, len(body)); err != nil {
				return nil, nil, err
			}
			size = int64(len(body))
		}
		switch {
		case n == 0 && kind != chunkJSON:
			return nil, nil, in.Damage(byteAt(at), "the first chunk is not JSON")
		case n == 0:
			doc = body[:size]
		case kind == chunkBinary && bin == nil:
			bin = body[:size]
		}
		at += 8 + size
	}
	return doc, bin, nil
}

func byteAt(at int64) string { return fmt.Sprintf("byte %d", at) }

// structBytes is the memory in bytes that a decoded document takes for each JSON object in its text. It is the size of
// the largest struct in schema.go.
const structBytes = 256

// parseDocument decodes a document.
func parseDocument(in *format.Input, data []byte, held int64) (*claimedDocument, error) {
	data = bytes.TrimRight(text.TrimBOM(data), "\x00 \t\r\n")
	if err := in.Allow(0, held+structBytes*int64(bytes.Count(data, []byte{'{'}))); err != nil {
		return nil, err
	}
	doc := new(claimedDocument)
	if err := json.Unmarshal(data, doc); err != nil {
		if v := claimedVersion(data); strings.HasPrefix(v, "1.") {
			return nil, in.Damage("asset", "version %s of glTF, expected 2.0", text.Name(v)) // lists of version 1 differ
		}
		return nil, in.Damage("JSON", "%s", text.OneLine(describeError(err)))
	}
	if v := doc.Asset.Version; v != "2.0" && !strings.HasPrefix(v, "2.") {
		if v == "" {
			v = claimedVersion(data)
		}
		return nil, in.Damage("asset", "version %s of glTF, expected 2.0", text.Name(v))
	}
	if v := doc.Asset.MinVersion; v != "" && v != "2.0" {
		return nil, in.Damage("asset", "at least version %s of glTF is needed to read it, expected 2.0", text.Name(v))
	}
	for _, name := range doc.ExtensionsRequired {
		if !canDraw(name) {
			return nil, in.Damage("extensionsRequired", "the file needs the extension %s, which is not read", text.Name(name))
		}
	}
	return doc, nil
}

// claimedVersion returns the version that a document claims, or "" if it claims none. It works even if the rest of the
// document cannot be decoded. In version 1, lists were objects with names, and the version was optional or a number.
func claimedVersion(data []byte) string {
	var doc struct {
		Asset struct {
			Version any `json:"version"`
		} `json:"asset"`
		Meshes, Nodes, Accessors, Buffers json.RawMessage
	}
	_ = json.Unmarshal(data, &doc) // fields that cannot be decoded stay empty
	switch v := doc.Asset.Version.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	for _, list := range []json.RawMessage{doc.Meshes, doc.Nodes, doc.Accessors, doc.Buffers} {
		if bytes.HasPrefix(list, []byte("{")) {
			return "1.0"
		}
	}
	return ""
}

// describeError describes an error of decoding JSON: the position in the document, and what is wrong there.
func describeError(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("byte %d: %v", syntax.Offset, err)
	case !errors.As(err, &kind):
		return err.Error()
	}
	what := strings.TrimPrefix(kind.Field+": ", ": ") + kind.Value
	switch kind.Type.Kind() {
	case reflect.Int64:
		return what + " is no whole number"
	case reflect.String:
		return what + " where a text should be"
	case reflect.Slice:
		return what + " where a list should be"
	case reflect.Struct, reflect.Map:
		return what + " where an object should be"
	case reflect.Float64:
		return what + " where a number should be"
	}
	return what + " where true or false should be"
}
