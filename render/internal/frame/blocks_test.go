package frame

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
	"lockstep/vp/machine"
)

var errUnread = errors.New("unread")

// blockSource is a mesh of three blocks, the last of which has 10 triangles. It can be divided at any triangle.
type blockSource struct {
	scenes.Mesh
	fail int // block that cannot be read
}

func (s *blockSource) ReadBlock(i int, b *scenes.Block) error {
	if i == s.fail {
		return errUnread
	}
	return s.Mesh.ReadBlock(i, b)
}

// blockLog records the calls of a stage of blocks. It implements all three interfaces that the stage calls: payloads,
// taker and watcher.
type blockLog struct {
	events []string
	left   error // error that EndUnit returns for a failed unit
}

func (l *blockLog) add(format string, args ...any) {
	l.events = append(l.events, fmt.Sprintf(format, args...))
}

func (l *blockLog) SetPayloads(_ *array.Polygons, b *scenes.Block, first int) {
	l.add("%d triangles from %d", b.Len(), first)
}

func (l *blockLog) Take(worker int, _ *array.Polygons) { l.add("take") }

func (l *blockLog) BeginUnit(worker, unit int)     { l.add("unit %d", unit) }
func (l *blockLog) BeginBlock(worker, i, size int) { l.add("block %d of %d", i, size) }
func (l *blockLog) Leave(worker int)               { l.add("leave") }

func (l *blockLog) EndUnit(worker int, err error) error {
	l.add("end %v", err)
	if err != nil {
		return l.left
	}
	return nil
}

// touchLog is a target that records the calls of Touch.
type touchLog struct {
	framebuffer.Target
	log *blockLog
}

func (l touchLog) Touch(*array.Polygons) { l.log.add("touch") }

// TestBlocks draws units of a source of 2 * 4096 + 10 triangles, and checks the blocks, their numbers and all calls.
func TestBlocks(t *testing.T) {
	const n = 2*scenes.BlockSize + 10
	drawn := func(unit, triangles, first, i, size int) []string {
		return []string{fmt.Sprintf("unit %d", unit), fmt.Sprintf("block %d of %d", i, size), fmt.Sprintf("%d triangles from %d", triangles, first), "take", "touch"}
	}
	end := []string{"end <nil>"}
	for name, c := range map[string]struct {
		frame BlocksFrame
		units int
		fail  int
		left  error // error that the watcher returns for a failed unit
		err   error
		want  []string
		dry   int32
	}{
		"sliced": {frame: BlocksFrame{UnitSize: 6000, BlockSize: 8192}, units: 2, fail: -1, dry: 1, want: slices.Concat(
			drawn(0, 6000, 0, 0, scenes.BlockSize), end, drawn(1, n-6000, 6000, 0, scenes.BlockSize), end)},
		"chosen": {frame: BlocksFrame{UnitSize: 4096, BlockSize: 4096, Numbers: []int{2, 0}}, units: 2, fail: -1, dry: 1, want: slices.Concat(
			drawn(0, 10, 8192, 0, scenes.BlockSize), end, drawn(1, 4096, 0, 0, scenes.BlockSize), end)},
		"read": {frame: BlocksFrame{BlockSize: 3000, Numbers: []int{1, 2}}, units: 2, fail: -1, dry: 1, want: slices.Concat(
			drawn(0, 3000, 4096, 0, 3000), drawn(0, 1096, 7096, 1, 3000)[1:], end, drawn(1, 10, 8192, 0, 3000), end)},
		"unread":             {frame: BlocksFrame{BlockSize: 4096}, units: 3, left: errUnread, err: errUnread, want: []string{"unit 0", "end unread"}},
		"unread, on":         {frame: BlocksFrame{BlockSize: 4096, Numbers: []int{0, 2}}, units: 2, dry: 1, want: slices.Concat([]string{"unit 0", "end unread"}, drawn(1, 10, 8192, 0, 4096), end)},
		"none":               {frame: BlocksFrame{BlockSize: 4096}, dry: 1},
		"called off":         {frame: BlocksFrame{BlockSize: 4096, Stop: func() bool { return true }}, units: 3},
		"called off between": {frame: BlocksFrame{BlockSize: 4096, Numbers: []int{2, 2, 2}, Stop: after(1)}, units: 3, fail: -1, want: slices.Concat(drawn(0, 10, 8192, 0, 4096), end)},
	} {
		t.Run(name, func(t *testing.T) {
			log, f := &blockLog{left: c.left}, c.frame
			var units machine.Ranges
			var dry atomic.Int32
			units.Reset(1, c.units)
			source := &blockSource{fail: c.fail}
			source.Mesh.Block = scenes.MakeBlock(n)
			f.Workers, f.Source, f.Units, f.Payloads, f.Takers, f.Watchers, f.IdleWorkers = 1, source, &units, log, []Taker{log}, []Watcher{log}, &dry
			f.Targets, f.Rasters, f.Hidden, f.Geometry = []framebuffer.Target{touchLog{log: log}}, []*framebuffer.Raster{new(framebuffer.Raster)}, new(Hidden), noGeometry
			if f.Stop == nil {
				f.Stop = func() bool { return false }
			}
			f.Rasters[0].Begin(scanline.Loop(nil), 100, func() bool { return true })
			f.Rasters[0].Policy = lb.Never
			f.Hidden.Begin(HiddenFrame{Workers: 1, View: new(geometry.View), Layout: tile.New(1, 1)})
			var b Blocks
			b.Begin(f)
			b.Run(0)
			_, err := b.Drawn(0)
			if want := append(c.want, "leave"); err != c.err || !slices.Equal(log.events, want) || dry.Load() != c.dry {
				t.Errorf("%v, %d workers without units\n%q\nwant\n%q", err, dry.Load(), log.events, want)
			}
		})
	}
}

// The function after returns another function, which returns false for the given number of calls, and then true.
func after(calls int) func() bool {
	return func() bool { calls--; return calls < 0 }
}

func noGeometry(*geometry.View, *scenes.Block, *array.Polygons, []int32, *geometry.Counts) []int32 {
	return nil
}

// TestPrivateCalledOff cancels a frame and gives the next frame another layout. Private frames of the cancelled frame
// must be cleared before they get the new layout. Other private frames must not be cleared.
func TestPrivateCalledOff(t *testing.T) {
	small, large := tile.New(40, 20), tile.New(300, 100)
	p, off := framebuffer.NewPrivate(1), false
	begin := func(l tile.Layout) *framebuffer.Buffer {
		p.Begin(framebuffer.PrivateFrame{Layout: l, Stop: func() bool { return off }})
		p.Run(0)
		return p.Buffers()[0]
	}
	b := begin(large)
	b.Keys[5], b.Touched[0] = 7, true
	p.End(true)
	off = true
	if begin(small); b.Layout != large || b.Keys[5] != 7 {
		t.Errorf("called off: layout %+v, key %d", b.Layout, b.Keys[5])
	}
	// End was not called, as after a panic.
	off = false
	if begin(small); b.Layout != small || b.Keys[5] != 0 || b.Touched[0] {
		t.Errorf("not emptied: layout %+v, key %d", b.Layout, b.Keys[5])
	}
	b.Keys[5], b.Touched[0] = 7, true
	p.End(false)
	if begin(small); b.Keys[5] != 7 {
		t.Error("a frame was emptied that needs it not")
	}
}

// unreadGroups are groups of a file that cannot be read.
type unreadGroups struct{ groups.Stored }

func (unreadGroups) HasColors() bool { return false }

func (unreadGroups) EachRun([]int32, []leaves.Group, *scenes.Block, func([]int32, []leaves.Group)) error {
	return errUnread
}

// noUnits hands out no unit.
type noUnits struct{}

func (noUnits) Next(int) (int, bool) { return 0, false }

// TestSieveFails checks that the error of groups that a sieve reads is returned: by the unit whose groups have to wait
// for those before them, and at the end by Run.
func TestSieveFails(t *testing.T) {
	var columns [6][]float32
	for i := range columns {
		columns[i] = make([]float32, 10)
	}
	g := groups.FromStored(unreadGroups{}, columns)
	l, _ := leavesOf(t)
	l.sieves.active = true
	s := l.sieve(0)
	s.Begin(isa.Generic, l.frame.View, g, false, 1024)
	b := &Blocks{workers: make([]blockWorker, 1)}
	b.frame = BlocksFrame{
		Leaves: l, Groups: g, BlockSize: 1024, Units: noUnits{}, IdleWorkers: new(atomic.Int32), Stop: l.frame.Stop,
		Rasters: []*framebuffer.Raster{{Converter: scanline.Converter{Policy: lb.Never}}},
	}
	b.workers[0].picked = []int32{3, 4}
	if err := b.addToSieve(0, s, 2*groups.Size); err != nil {
		t.Errorf("groups that wait: %v", err)
	}
	if err := b.addToSieve(0, s, 2*groups.Size); !errors.Is(err, errUnread) { // the groups are not after those that wait
		t.Errorf("groups that are examined: %v", err)
	}
	b.Run(0)
	if _, err := b.Drawn(0); !errors.Is(err, errUnread) || b.frame.IdleWorkers.Load() != 1 {
		t.Errorf("the last groups: %v", err)
	}
}
