package clitest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
)

// SlidingSquare returns a glTF file of a square with two clips (animations). In the first clip, named slide, the square
// moves from x=0 to x=8 in 4 seconds. In the second clip it does not move.
func SlidingSquare() string {
	var b bytes.Buffer
	for _, part := range []any{
		[]float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, []uint16{0, 1, 2, 0, 2, 3}, // 48 bytes and 12 bytes
		[]float32{0, 4}, []float32{0, 0, 0, 8, 0, 0}, // 8 bytes of times and 24 bytes of positions
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return `{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
		"animations":[{"name":"slide","channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":2,"output":3}]},{}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"},
			{"bufferView":2,"componentType":5126,"count":2,"type":"SCALAR","max":[4]},{"bufferView":3,"componentType":5126,"count":2,"type":"VEC3"}],
		"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":8},{"buffer":0,"byteOffset":68,"byteLength":24}],
		"buffers":[{"byteLength":92,"uri":"data:;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"}]}`
}
