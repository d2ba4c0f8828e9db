package vtk

import (
	"encoding/binary"
	"testing"

	"lockstep/scenes/internal/meshtest"
)

// whole returns undamaged files of all kinds.
func whole(t *testing.T) (files []string) {
	for _, c := range cases {
		if c.Warning == "" && c.Damage == "" {
			files = append(files, c.File)
		}
	}
	for _, o := range []options{
		{"ascii", "", binary.LittleEndian, false, 64}, {"binary", zlibName, binary.BigEndian, true, 16}, {"raw", lz4Name, binary.LittleEndian, false, 16},
		{"coded", zlibName, binary.LittleEndian, false, 64}, {"raw", "", binary.LittleEndian, true, 64},
	} {
		files = append(files, (&writer{t: t, options: o}).tetras())
	}
	return append(files, legacyBinary(t, "# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n=f 0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 4\nOFFSETS vtktypeint64\n=l 0 4\nCONNECTIVITY vtktypeint64\n=l 0 1 2 3\nCELL_TYPES 1\n=i 10\nPOINT_DATA 4\nVECTORS U float\n=f 1 0 0 2 0 0 3 0 0 4 0 0\n"))
}

func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, whole(t)...) }

func FuzzRead(f *testing.F) {
	for i, c := range cases {
		f.Add([]byte(c.File), uint64(i), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, file, piece)
		meshtest.FuzzMutants(t, Format, file, seed, piece)
	})
}
