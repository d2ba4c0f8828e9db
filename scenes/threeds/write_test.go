package threeds

import (
	"encoding/binary"
	"math"
)

// chunkOf returns a chunk with the given contents: numbers, texts that end with a zero byte, and other chunks.
func chunkOf(id uint16, parts ...any) []byte {
	out := binary.LittleEndian.AppendUint16(nil, id)
	out = binary.LittleEndian.AppendUint32(out, 0)
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			out = append(out, p...)
		case string:
			out = append(append(out, p...), 0)
		case int: // most numbers have 16 bits
			out = binary.LittleEndian.AppendUint16(out, uint16(p))
		case uint32:
			out = binary.LittleEndian.AppendUint32(out, p)
		case float64:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(p)))
		case [3]float64:
			for _, v := range p {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
			}
		case [4]float64:
			for _, v := range p {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
			}
		}
	}
	binary.LittleEndian.PutUint32(out[2:], uint32(len(out)))
	return out
}

// square returns an object of two triangles. The second triangle has a material.
func square(name string, more ...any) []byte {
	places := chunkOf(idVertices, 4, [3]float64{}, [3]float64{4, 0, 0}, [3]float64{4, 4, 0}, [3]float64{0, 4, 0})
	faces := chunkOf(idFaces, 2, 0, 1, 2, 0, 0, 2, 3, 0, chunkOf(idFaceMaterial, "red", 1, 1))
	return chunkOf(idObject, name, chunkOf(idMesh, append([]any{places, faces}, more...)...))
}

var red = chunkOf(idMaterial, chunkOf(idMaterialName, "red"), chunkOf(idDiffuse, chunkOf(idColorByte, []byte{255, 0, 0})))

// file returns a file with the given contents of the editor (materials and objects) and of the keyframer (nodes).
func file(editor, nodes []byte) string {
	return string(chunkOf(idMain, chunkOf(idVersion, uint32(3)), chunkOf(idEditor, red, editor), chunkOf(idKeyframer, nodes)))
}

// key returns a track with one key.
func key(id uint16, value any) []byte {
	return chunkOf(id, 0, uint32(0), uint32(0), uint32(1), uint32(0), 0, value)
}

// node returns a node of the keyframer.
func node(name string, number, parent int, more ...any) []byte {
	return chunkOf(idNode, append([]any{chunkOf(idNumber, number), chunkOf(idNodeName, name, 0, 0, parent)}, more...)...)
}

// join returns the concatenation of chunks.
func join(all ...[]byte) (out []byte) {
	for _, one := range all {
		out = append(out, one...)
	}
	return out
}
