package threeds

import (
	"bytes"
	"encoding/binary"
	"math"

	"lockstep/scenes/internal/text"
)

// headSize is the size in bytes of the header of a chunk: its id, and its length, which includes the header.
const headSize = 6

// Ids of the chunks that are read.
const (
	idMain, idVersion, idEditor, idScale, idKeyframer = 0x4D4D, 0x0002, 0x3D3D, 0x0100, 0xB000

	idObject, idMesh                                   = 0x4000, 0x4100
	idVertices, idFaces, idFaceMaterial, idCoordinates = 0x4110, 0x4120, 0x4130, 0x4140
	idFrame                                            = 0x4160

	idColorFloat, idColorByte, idLinearByte, idLinearFloat = 0x0010, 0x0011, 0x0012, 0x0013
	idPercentInt, idPercentFloat                           = 0x0030, 0x0031

	idMaterial, idMaterialName, idDiffuse    = 0xAFFF, 0xA000, 0xA020
	idTransparency, idOwnLight               = 0xA050, 0xA084
	idTexture, idFile, idTiling              = 0xA200, 0xA300, 0xA351
	idVScale, idUScale, idUOffset, idVOffset = 0xA354, 0xA356, 0xA358, 0xA35A

	idNode, idNodeName, idInstanceName, idPivot = 0xB002, 0xB010, 0xB011, 0xB013
	idPosition, idRotation, idScaling, idNumber = 0xB020, 0xB021, 0xB022, 0xB030
)

// A chunk is a piece of the file: its header at offset `at`, and its contents from offset `body` to offset `end`.
type chunk struct{ id, at, body, end int }

// eachChunk calls `each` for the chunks inside chunk `of`. A chunk that claims to be longer than `of` ends where `of`
// ends.
func (r *reader) eachChunk(of chunk, each func(c chunk) error) error {
	for at := of.body; of.end-at >= headSize; {
		c := chunk{int(binary.LittleEndian.Uint16(r.data[at:])), at, at + headSize, 0}
		length := int64(binary.LittleEndian.Uint32(r.data[at+2:]))
		switch {
		case length < headSize && c.id == 0 && of.id == idMain:
			return nil // the rest is padding
		case length < headSize:
			return r.warnOnce(at, "a chunk of %d bytes, and nothing behind it is read", length)
		case length > int64(of.end-at):
			atEnd := of.end == len(r.data)
			if atEnd && r.cut {
				c.end = of.end // the file is cut off, which is reported already
				break
			}
			r.cut = r.cut || atEnd
			if err := r.warnOnce(at, "a chunk of %d bytes where %d are left", length, of.end-at); err != nil {
				return err
			}
			c.end = of.end
		default:
			c.end = at + int(length)
		}
		if err := each(c); err != nil {
			return err
		}
		at = c.end
	}
	return nil
}

// warnOnce adds a warning about damage at an offset, unless there is one for this offset already. The file is read in
// several passes, each of which finds the damage.
func (r *reader) warnOnce(at int, format string, args ...any) error {
	if r.damaged[at] {
		return nil
	}
	if err := r.Reserve(32); err != nil {
		return err
	}
	if r.damaged == nil {
		r.damaged = make(map[int]bool)
	}
	r.damaged[at] = true
	return r.warn.Add(bytePlace(at), format, args...)
}

// name returns the string at the start of a chunk, and the offset after it.
func (r *reader) name(c chunk) (string, int) {
	b := r.data[c.body:c.end]
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return string(b[:min(len(b), text.MaxName)]), c.end
	}
	return string(b[:min(i, text.MaxName)]), c.body + i + 1
}

// count returns the number of entries of the list at offset `at`, and the offset of the first entry. An entry has
// `size` bytes. Entries that do not fit in before offset `end` are not counted.
func (r *reader) count(at, end, size int) (n, first int) {
	if end-at < 2 {
		return 0, end
	}
	return min(int(binary.LittleEndian.Uint16(r.data[at:])), (end-at-2)/size), at + 2
}

// warnShort warns if the list at the offset `at` claims more than the n entries that exist.
func (r *reader) warnShort(c chunk, at, n int) error {
	if c.end-at < 2 {
		return r.warn.Add(bytePlace(c.at), "a list without a number of entries")
	}
	if claimed := int(binary.LittleEndian.Uint16(r.data[at:])); claimed > n {
		return r.warn.Add(bytePlace(c.at), "a list claims %d entries and has %d", claimed, n)
	}
	return nil
}

func (r *reader) uint16At(at int) int { return int(binary.LittleEndian.Uint16(r.data[at:])) }

func (r *reader) float(at int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(r.data[at:])))
}

// floats fills `to` with the numbers at offset `at`. ok is false if they do not all fit in before offset `end`.
func (r *reader) floats(at, end int, to []float64) (ok bool) {
	if end-at < 4*len(to) {
		return false
	}
	for i := range to {
		to[i] = r.float(at + 4*i)
	}
	return true
}
