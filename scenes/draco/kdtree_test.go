package draco

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"lockstep/scenes/internal/meshtest"
)

// dust returns a cloud of n points that have only positions.
func dust(n int) *job {
	j := &job{Points: n}
	r := rand.New(rand.NewPCG(3, uint64(n)))
	for range n {
		j.add("POSITION", "f", r.NormFloat64(), r.NormFloat64()*10, -r.Float64())
	}
	return j
}

// swarm returns a cloud of n points, many of which are equal, with integers of all kinds. spread is the range of these
// integers; the default is 1000.
func swarm(n int, spread ...int) *job {
	j := &job{Points: n}
	r := rand.New(rand.NewPCG(4, uint64(n)))
	differ := 1000
	if len(spread) > 0 {
		differ = spread[0]
	}
	for i := range n {
		v := func() float64 { return float64(r.IntN(differ/(1+i%7) + 1)) }
		j.add("POSITION", "i", v()-100, v()*1000, -v())
		j.add("NORMAL", "c", v()/8-60, v()/8-60, -v()/8)
		j.add("COLOR", "u", v()*4e6)
		j.add("TEX_COORD", "h", -v(), v()-700)
		j.add("GENERIC", "s", v()*60)
	}
	return j
}

// treeHead is the start of a file with a kd-tree of one point, whose position has three bytes. tree is the kd-tree
// itself, for level 0.
var (
	treeHead = packed(Mark, 2, 3, 0, 1, 0, 0, uint32(1), 1, 1, 0, 2, 3, 0, 7)
	treeBits = packed(uint32(4), uint32(0))
	tree     = packed(uint32(2), uint32(1)) + treeBits + packed(uint32(4), uint32(0x6c000000)) + treeBits + treeBits
)

// four returns a file with a kd-tree of four points. The kd-tree has the given level, and two bits for each coordinate.
func four(level int, numbers string) string {
	return strings.Replace(treeHead, "\x01\x00\x00\x00\x01\x01", "\x04\x00\x00\x00\x01\x01", 1) + packed(level, uint32(2), uint32(4)) + numbers
}

// old turns a kd-tree of version 2.3 into a kd-tree of version 2.2.
func old(file string) string { return strings.Replace(file, "DRACO\x02\x03", "DRACO\x02\x02", 1) }

var oldPositions = strings.Replace(old(treeHead), "\x00\x02\x03\x00\x07", "\x00\x09\x03\x00\x07", 1)

// treeCases holds kd-trees that are written by hand, and the damage that the reader must report.
var treeCases = []meshtest.Case{
	{Name: "a point in a kd-tree", File: treeHead + packed(0) + tree, Triangles: 8},
	{Name: "an old kd-tree", File: old(treeHead) + packed(1, 0, uint32(1)) + tree, Triangles: 8},
	{Name: "old positions", File: oldPositions + packed(0, 0, uint32(1), uint32(2), uint32(2), 3., uint32(1), uint32(0)) + tree, Triangles: 8},
	{Name: "newer old positions", File: oldPositions + packed(0, 0, uint32(1), uint32(3), 1, uint32(2), 3., uint32(1), uint32(0)) + tree, Triangles: 8},
	{Name: "no points", File: strings.Replace(treeHead, "\x01\x00\x00\x00", "\x00\x00\x00\x00", 1) + packed(0, uint32(2), uint32(0))},
	{Name: "another level", File: treeHead + packed(7) + tree, Damage: "points in a kd-tree of the level 7"},
	{Name: "more bits than a word", File: treeHead + packed(0, uint32(33)) + tree[4:], Damage: "points of 33 bits in a kd-tree"},
	{Name: "other points", File: treeHead + packed(0, uint32(2), uint32(2)) + tree[8:], Damage: "2 points in a kd-tree, of 1"},
	{Name: "other old points", File: old(treeHead) + packed(1, 0, uint32(2)) + tree, Damage: "2 points in a kd-tree, of 1"},
	{Name: "a kd-tree of doubles", File: strings.Replace(treeHead, "\x02\x03\x00\x07", "\x0a\x03\x00\x07", 1) + packed(0) + tree, Damage: "numbers of the kind 10 in a kd-tree"},
	{Name: "an old kd-tree of doubles", File: old(strings.Replace(treeHead, "\x02\x03\x00\x07", "\x0a\x03\x00\x07", 1)) + packed(1, 0, uint32(1)) + tree, Damage: "numbers of the kind 10 in a kd-tree"},
	{Name: "another old method", File: old(treeHead) + packed(2, 0, uint32(1)), Damage: "unknown method 2 of a kd-tree"},
	{Name: "old positions that are none", File: old(treeHead) + packed(0, 0, uint32(1)), Damage: "a kd-tree of positions holds 1 attributes, the first of 3 numbers of the kind 2"},
	{Name: "old positions of a new version", File: oldPositions + packed(0, 0, uint32(1), uint32(4)), Damage: "unknown version 4 of a kd-tree of positions"},
	{Name: "old positions without a tree", File: oldPositions + packed(0, 0, uint32(1), uint32(3), 0), Damage: "unknown method 0 of a kd-tree of positions"},
	{Name: "old positions of many bits", File: oldPositions + packed(0, 0, uint32(1), uint32(2), uint32(32), 3.), Damage: "positions of 32 bits in a kd-tree"},
	{Name: "words of three bytes", File: treeHead + packed(0, uint32(2), uint32(1), uint32(3), 0, 0, 0), Damage: "3 bytes of words"},
	{Name: "bits that are not there", File: treeHead + packed(0, uint32(32), uint32(1)) + tree[8:], Damage: "the bits of point 1 of 1 are not there"},
	{Name: "a half of too few", File: four(0, packed(uint32(4), uint32(0xc0000000))+treeBits+treeBits+treeBits), Damage: "one half of a box of 4 points would have 2 - 3 points, which is negative"},
	{Name: "numbers that are not there", File: four(2, packed(128, 0)), Damage: "coded symbols without a byte"},
	{Name: "one folded number", File: four(4, packed(128, 1, 0)), Damage: "1 bytes, and 0 are left"},
}

// TestTreeByHand reads the bits of a point. The first axis along which a box is halved is y.
func TestTreeByHand(t *testing.T) {
	m, err := Decode([]byte(treeHead+packed(0)+tree), Limits{})
	if err != nil || !m.Cloud || !bytes.Equal(m.Attributes[0].Data, []byte{3, 1, 2}) {
		t.Fatal(m, err)
	}
	m, err = Decode([]byte(oldPositions+packed(0, 0, uint32(1), uint32(2), uint32(2), 3., uint32(1), uint32(0))+tree), Limits{})
	if err != nil || string(m.Attributes[0].Data) != packed(0., -2., -1.) {
		t.Fatal(m, err)
	}
}

// TestTreeAxis checks that a box that is halved along a missing axis is refused.
func TestTreeAxis(t *testing.T) {
	points := packed(uint32(64))
	axis := packed(uint32(4), uint32(0x30000000))
	folded := strings.Repeat(packed(128, 2, 0, 64), 33)
	file := packed(Mark, 2, 3, 0, 1, 0, 0) + points + treeHead[15:] + packed(6, uint32(2)) + points + folded + treeBits + axis + treeBits
	if _, err := Decode([]byte(file), Limits{}); err == nil || !strings.Contains(err.Error(), "the axis 3 of 3") {
		t.Fatal(err)
	}
}

// TestTreeLimits checks that many equal points are refused before memory is allocated for them.
func TestTreeLimits(t *testing.T) {
	points := packed(uint32(1 << 27))
	same := packed(Mark, 2, 3, 0, 1, 0, 0) + points + treeHead[15:] + packed(0, uint32(0)) + points + treeBits + treeBits + treeBits + treeBits
	if _, err := Decode([]byte(same), Limits{}); err == nil || !strings.Contains(err.Error(), "more work than") {
		t.Error(err)
	}
	stop := errors.New("stop")
	limits := Limits{Hold: func(_, bytes int64) error { return over(bytes, 1<<20, stop) }}
	if _, err := Decode([]byte(same), limits); err != stop {
		t.Error(err)
	}
	wide := packed(Mark, 2, 3, 0, 1, 0, 0, uint32(5), 1, 128, 2) + strings.Repeat(packed(4, 9, 255, 0, 7), 256)
	wide += packed(0, uint32(32), uint32(5)) + treeBits + treeBits + treeBits + treeBits
	if _, err := Decode([]byte(wide), limits); err != stop {
		t.Error(err)
	}
}

// TestTreeMemory checks that all memory of a tree is reserved before it is allocated.
func TestTreeMemory(t *testing.T) {
	var held []int64
	limits := Limits{Hold: func(_, bytes int64) error { held = append(held, bytes); return nil }}
	if _, err := Decode([]byte(treeHead+packed(0)+tree), limits); err != nil {
		t.Fatal(err)
	}
	const integers, point, row = 4 * 3, 4 * 3, 4 * 2 * 3
	want := []int64{integers + point + int64(unsafe.Sizeof(kdNode{})), row}
	if got := []int64{held[1] - held[0], held[2] - held[1]}; !slices.Equal(got, want) {
		t.Errorf("a tree of one point reserves %d bytes, want %d", got, want)
	}
	k := &kdTree{decoder: new(decoder), width: 3}
	for n := 1; n < 5000; n++ {
		before := k.rows
		if !k.growRows(n) || len(k.rows) < n*2*k.width || k.held < 4*int64(cap(k.rows)) {
			t.Fatalf("%d rows: %d numbers of %d, and %d bytes are reserved", n, len(k.rows), cap(k.rows), k.held)
		}
		if both := int64(cap(before) + cap(k.rows)); len(k.rows) > len(before) && k.held < 4*both {
			t.Fatalf("%d rows: %d bytes are reserved while %d are in memory", n, k.held, 4*both)
		}
	}
}

// TestTreeNodes checks that the number of boxes that wait to be decoded never exceeds maxNodes, for which memory is
// allocated.
func TestTreeNodes(t *testing.T) {
	for bits := range uint32(4) {
		for points := 1; points < 40; points++ {
			k := &kdTree{decoder: new(decoder), group: &group{n: points}, width: 2, bits: bits}
			k.numbers = func(n uint) uint32 { return uint32(points) >> 1 & 1 & (1<<n - 1) }
			k.halves.data = make([]byte, 400)
			k.remaining.data = make([]byte, 400)
			k.point = make([]uint32, k.width)
			k.growRows(1)
			k.nodes = append(k.nodes, kdNode{points: uint32(points)})
			for most := k.maxNodes(); len(k.nodes) > 0 && k.err == nil; {
				if len(k.nodes) > most {
					t.Fatalf("%d points of %d bits: %d boxes, want at most %d", points, bits, len(k.nodes), most)
				}
				node := k.nodes[len(k.nodes)-1]
				k.nodes = k.nodes[:len(k.nodes)-1]
				k.decodeNode(node)
			}
			if k.err != nil || k.done != points {
				t.Fatalf("%d points of %d bits: %d, %v", points, bits, k.done, k.err)
			}
		}
	}
}

// oldTrees converts kd-trees of testdata to the form of older bitstreams, and returns the files by name. It leaves out
// files with signed integers.
func oldTrees(tb testing.TB) map[string]string {
	all := make(map[string]string)
	for name := range goldens {
		if name = strings.TrimSuffix(name, ".drc"); name == "cloud-6-usual" || strings.HasPrefix(name, "dust") {
			addOldTrees(tb, name, all)
		}
	}
	return all
}

// oldRange is the range of the positions that addOldTrees writes.
const oldRange = 3.5

// addOldTrees converts the kd-tree of a file of testdata to the form of older bitstreams, and adds the files to the map
// `all`.
func addOldTrees(tb testing.TB, name string, all map[string]string) {
	data, err := os.ReadFile(filepath.Join("testdata", name+".drc"))
	if err != nil {
		tb.Fatal(err)
	}
	d := &decoder{source: source{data: data}, mesh: new(Mesh)}
	d.readHeader()
	points := string(d.take(4))
	d.u8()
	g := new(group)
	d.readDescriptions(g)
	head, level := string(data[11:d.at]), int(d.u8())
	end := len(data)
	for _, v := range g.values {
		if v.Kind == Float32 {
			end -= 4*v.Width + 5
		}
	}
	if d.err != nil || end <= d.at {
		tb.Fatal(d.err)
	}
	tree, bits := string(data[d.at:end]), uint32(data[len(data)-1])
	for minor := range 3 {
		if minor < 2 && level >= codedNumbers { // before 2.2, the sizes of flags have four bytes
			continue
		}
		begin, old := packed(Mark, 2, minor, 0, 1, 0, 0)+head, fmt.Sprintf("%s-2.%d", name, minor)
		all[old+"-integers"] = begin + packed(integerTree, level) + points + tree
		if level < chosenAxes { // levels 2n and 2n+1 have the same coders below this level
			all[old+"-level"] = begin + packed(integerTree, level^1) + points + tree
		}
		if len(g.values) == 1 {
			position := packed(bits, oldRange) + points + packed(uint32(level)) + tree
			all[old+"-plain"] = begin + packed(floatTree, level) + points + packed(uint32(2)) + position
			all[old+"-method"] = begin + packed(floatTree, level) + points + packed(uint32(3), 1) + position
		}
	}
}

// writeOldTrees writes the files of oldTrees.
func writeOldTrees(t *testing.T, dir string) {
	for name, file := range oldTrees(t) {
		write(t, filepath.Join(dir, name+".drc"), []byte(file))
	}
}

// TestOldTrees decodes kd-trees in the form of older bitstreams, and compares the positions with positions that are
// computed from the integers.
func TestOldTrees(t *testing.T) {
	files := oldTrees(t)
	for name, file := range files {
		old, err := Decode([]byte(file), Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(name, "dust") {
			continue
		}
		base := name[:strings.LastIndex(name, "-")]
		data, err := os.ReadFile("testdata/" + base[:strings.LastIndex(base, "-")] + ".drc")
		if err != nil {
			t.Fatal(err)
		}
		now, err := Decode(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Decode([]byte(files[base+"-integers"]), Limits{})
		if err != nil || len(whole.Attributes[0].Data) != len(now.Attributes[0].Data) || now.Points != 80 {
			t.Fatal(name, err)
		}
		comparePositions(t, name, data[len(data)-17:], whole, now, old)
	}
	if len(files) != 25 {
		t.Errorf("%d files", len(files))
	}
}

// comparePositions compares the positions of the meshes `now` and `old` with positions that are computed from the
// integers of `whole`. The parameter steps holds the last bytes of the file of `now`: the lowest coordinates, the range
// and the number of bits.
func comparePositions(t *testing.T, name string, steps []byte, whole, now, old *Mesh) {
	float := func(p []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(p)) }
	most := float32(uint32(1)<<steps[16] - 1)
	for i := range 3 * now.Points {
		n := binary.LittleEndian.Uint32(whole.Attributes[0].Data[4*i:])
		want := float32(float32(n)*(float(steps[12:])/most)) + float(steps[i%3*4:])
		if got := float(now.Attributes[0].Data[4*i:]); got != want {
			t.Fatalf("%s: coordinate %d of point %d is %v, want %v", name, i%3, i/3, got, want)
		}
		if strings.HasSuffix(name, "integers") || strings.HasSuffix(name, "level") {
			want = math.Float32frombits(n)
		} else {
			want = (float32(n) - most) * (oldRange / most)
		}
		if got := float(old.Attributes[0].Data[4*i:]); got != want {
			t.Fatalf("%s: coordinate %d of point %d is %v, want %v", name, i%3, i/3, got, want)
		}
	}
}
