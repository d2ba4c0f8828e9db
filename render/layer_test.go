package render_test

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/keycode"
	"lockstep/render/part"
	"lockstep/scenes"
)

// parted draws a frame in parts, as the nodes of a cluster do. Each node owns some blocks and some rows, and has its
// own renderer.
func parted(t testing.TB, nodes []*render.Renderer, source scenes.Source, cam render.Camera, owner []int, cuts []int) *render.Picture {
	t.Helper()
	ctx := context.Background()
	layers := make([]part.Layer, len(nodes))
	for n, r := range nodes {
		var blocks []int
		for b, o := range owner {
			if o == n {
				blocks = append(blocks, b)
			}
		}
		if _, err := part.DrawLayer(ctx, r, source, cam, blocks, &layers[n]); err != nil {
			t.Fatal(err)
		}
	}
	whole := new(render.Picture)
	for n, r := range nodes {
		own := part.TileRows{Lo: cuts[n], Hi: cuts[n+1]}
		need, err := part.Needed(r, cam, own)
		if err != nil {
			t.Fatal(err)
		}
		pic := new(render.Picture)
		_, err = part.Light(ctx, r, source, cam, part.Strip{Own: own, Layers: func(ty int) (rows [][]byte) {
			if !need.Has(ty) {
				t.Errorf("row %d is asked for, of %v", ty, need)
			}
			for i := range layers {
				rows = append(rows, slices.Clone(layers[i].Row(ty)))
			}
			return rows
		}}, pic)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := part.Pixels(r, own)
		if whole.Pix == nil {
			*whole = render.Picture{Width: pic.Width, Height: pic.Height, Pix: make([]byte, len(pic.Pix))}
		}
		copy(whole.Pix[4*pic.Width*lo:4*pic.Width*hi], pic.Pix[4*pic.Width*lo:])
	}
	return whole
}

// partedLooks returns looks whose pictures must not depend on the division into parts.
func partedLooks() map[string]render.Options {
	studio := render.Options{Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true}
	orthographicDetail := studio
	orthographicDetail.Samples = 4
	flat := render.Options{Light: render.LightStudio}
	many := render.Options{Samples: 16, Background: color.NRGBA{R: 0x20, G: 0x40, B: 0x60, A: 0xff}}
	return map[string]render.Options{"headlight": {}, "studio": flat, "occlusion": studio, "occlusion, 4 samples": orthographicDetail, "16 samples": many}
}

// TestParts draws frames with several renderers. The owners of blocks and rows are random and change from frame to
// frame. The pictures must equal those of one renderer, bit for bit.
func TestParts(t *testing.T) {
	mesh := awkward()
	random := rand.New(rand.NewPCG(1, 2))
	for name, o := range partedLooks() {
		t.Run(name, func(t *testing.T) {
			o.Width, o.Height, o.BlockSize = 90, 330, 256
			for _, count := range some([]int{3, 8, 1, 2}) {
				nodes := make([]*render.Renderer, count)
				for n := range nodes {
					o.Workers = 1 + n%2
					nodes[n] = newRenderer(t, o)
				}
				blocks, err := part.Blocks(o, mesh)
				if err != nil {
					t.Fatal(err)
				}
				for frame := range 3 {
					cam := closeCamera(t, mesh, o)
					if frame == 2 {
						cam = fitted(t, mesh, o, camera.Options{Orthographic: true, Azimuth: 70, Elevation: 10})
					}
					want := new(render.Picture)
					if _, err := nodes[0].Frame(context.Background(), mesh, cam, want); err != nil {
						t.Fatal(err)
					}
					owner := make([]int, blocks)
					for b := range owner {
						owner[b] = random.IntN(count)
					}
					rows := part.All(nodes[0]).Len()
					cuts := []int{0, rows}
					for range count - 1 {
						cuts = append(cuts, random.IntN(rows+1))
					}
					slices.Sort(cuts)
					got := parted(t, nodes, mesh, cam, owner, cuts)
					if !bytes.Equal(got.Pix, want.Pix) {
						t.Fatalf("%d nodes, frame %d: the picture differs", count, frame)
					}
				}
			}
		})
	}
}

// TestPartsOfStream gives each node a source of which only the node's own blocks can be read.
func TestPartsOfStream(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 200, Height: 120, Workers: 2}
	cam := fitted(t, mesh, o, camera.Options{})
	r := newRenderer(t, o)
	want := new(render.Picture)
	if _, err := r.Frame(context.Background(), mesh, cam, want); err != nil {
		t.Fatal(err)
	}
	blocks := scenes.NumBlocks(mesh)
	if blocks < 2 {
		t.Fatalf("%d blocks: want some", blocks)
	}
	var layers [2]part.Layer
	for n := range layers {
		var own []int
		for b := n; b < blocks; b += 2 {
			own = append(own, b)
		}
		source := &blockSource{mesh: mesh, before: func(b int) error {
			if b%2 != n {
				return fmt.Errorf("block %d is not node %d's", b, n)
			}
			return nil
		}}
		if _, err := part.DrawLayer(context.Background(), r, source, cam, own, &layers[n]); err != nil {
			t.Fatal(err)
		}
	}
	got := new(render.Picture)
	_, err := part.Light(context.Background(), r, nil, cam, part.Strip{Own: part.All(r), Layers: func(ty int) [][]byte {
		return [][]byte{layers[0].Row(ty), layers[1].Row(ty)}
	}}, got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Pix, want.Pix) {
		t.Error("the picture differs")
	}
}

// FuzzLayer lights rows from a hostile node. The result must be a picture or an error, and the next picture must be
// correct.
func FuzzLayer(f *testing.F) {
	mesh := boxMesh(vec{0, 0, 0}, vec{1, 1, 1})
	o := render.Options{Width: 130, Height: 40, Workers: 1, Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true}
	r := newRenderer(f, o)
	cam := fitted(f, mesh, o, camera.Options{Azimuth: 30, Elevation: 20})
	var layer part.Layer
	if _, err := part.DrawLayer(context.Background(), r, mesh, cam, []int{0}, &layer); err != nil {
		f.Fatal(err)
	}
	want := new(render.Picture)
	if _, err := r.Frame(context.Background(), mesh, cam, want); err != nil {
		f.Fatal(err)
	}
	for ty := range layer.Rows() {
		f.Add(ty, layer.Row(ty))
	}
	f.Add(0, []byte{9, 0})
	f.Add(1, bytes.Repeat([]byte{0xff}, 400))
	f.Fuzz(func(t *testing.T, at int, row []byte) {
		pic := new(render.Picture)
		light := func(hostile bool) error {
			_, err := part.Light(context.Background(), r, mesh, cam, part.Strip{Own: part.All(r), Layers: func(ty int) [][]byte {
				if hostile && ty == at {
					return [][]byte{layer.Row(ty), row}
				}
				return [][]byte{layer.Row(ty)}
			}}, pic)
			return err
		}
		_ = light(true)
		if err := light(false); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pic.Pix, want.Pix) {
			t.Error("the frame after a hostile one differs")
		}
	})
}

// TestMalformedLayer checks the errors for malformed rows.
func TestMalformedLayer(t *testing.T) {
	mesh := boxMesh(vec{0, 0, 0}, vec{1, 1, 1})
	o := render.Options{Width: 130, Height: 40, Workers: 1, Light: render.LightStudio, Occlusion: true}
	r := newRenderer(t, o)
	cam := fitted(t, mesh, o, camera.Options{})
	tile := func(number, triangle int) []byte {
		keys := make([]uint64, keycode.Width*keycode.Height)
		keys[0] = array.Key(0.25, uint64(^uint32(triangle)))
		b, _ := keycode.Append(nil, number, keys, keycode.Width)
		return b
	}
	shorter := tile(1, 3)
	shorter = shorter[:len(shorter)-1]
	shorter[2]--
	for name, c := range map[string]struct {
		row []byte
		bad bool
	}{
		"a tile":           {tile(1, 3), false},
		"short head":       {tile(1, 3)[:10], true},
		"cut off":          {tile(1, 3)[:30], true},
		"missing keys":     {shorter, true},
		"beyond the row":   {tile(3, 3), true},
		"twice":            {append(tile(1, 3), tile(1, 3)...), true},
		"unknown triangle": {tile(1, mesh.Len()), true},
	} {
		_, err := part.Light(context.Background(), r, mesh, cam, part.Strip{Own: part.All(r), Layers: func(ty int) [][]byte {
			if ty == 0 {
				return [][]byte{c.row}
			}
			return nil
		}}, new(render.Picture))
		if (err != nil) != c.bad {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
