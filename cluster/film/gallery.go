package film

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"lockstep/cluster"
	"lockstep/cluster/page"
	"lockstep/internal/smallfile"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/scenes"
)

// Gallery finds pictures for a status page. It implements page.Gallery.
type Gallery struct {
	Cluster    *cluster.Cluster
	Submission *Submission // of the film that this process draws; nil: it is a server

	mapped sync.Mutex
}

// Picture implements page.Gallery. Files are looked for where the film's command writes
// them, if that is on this machine, and then among what nodes handed in.
func (g *Gallery) Picture(ctx context.Context, job cluster.Job, frame int) ([]byte, error) {
	spec, err := readSpec(job)
	if err != nil {
		return nil, err
	}
	names, err := spec.names()
	if err != nil {
		return nil, err
	}
	if g.Submission != nil {
		names = g.Submission.names
	}
	var picture []byte
	if err = fs.ErrNotExist; g.Submission != nil || !spec.isRemote() {
		picture, err = smallfile.Read(filepath.Join(spec.Pictures, filepath.Base(names.Name(frame))), smallfile.Picture)
	}
	if err == nil {
		return picture, nil
	}
	d, e := g.Cluster.Recorded(ctx, job, frame)
	if e != nil || d == nil || !d.Stored {
		return nil, err
	}
	if picture, e = g.Cluster.Picture(ctx, job, frame, d); e != nil {
		return nil, fs.ErrNotExist // its command has fetched it
	}
	return picture, nil
}

// Owners implements page.Gallery.
func (g *Gallery) Owners(job cluster.Job) *page.Owners {
	if g.Submission == nil || job.ID != g.Submission.id {
		return nil
	}
	return g.Submission.owners.view()
}

// Map implements page.Gallery.
func (g *Gallery) Map(ctx context.Context, job cluster.Job) ([]byte, error) {
	if g.Submission == nil || job.ID != g.Submission.id {
		return nil, fs.ErrNotExist
	}
	owner, frame := g.Submission.owners.blocks()
	if owner == nil {
		return nil, fs.ErrNotExist
	}
	g.mapped.Lock() // one renderer at a time
	defer g.mapped.Unlock()
	return g.Submission.local.drawOwners(ctx, owner, frame)
}

// paintedSource is a mesh whose triangles have the colour of their block's owner.
type ownerColored struct {
	scenes.Source
	owner []int
	size  int // triangles of a block that is owned
}

// Info implements scenes.Source.
func (s ownerColored) Info() scenes.Info {
	info := s.Source.Info()
	info.Colors, info.Attributes = true, nil
	return info
}

// ReadBlock implements scenes.Source.
func (s ownerColored) ReadBlock(i int, dst *scenes.Block) error {
	if err := s.Source.ReadBlock(i, dst); err != nil {
		return err
	}
	colors := make([]uint32, dst.Len())
	for j := range colors {
		colors[j] = ownerColor(s.owner[min((i*scenes.BlockSize+j)/s.size, len(s.owner)-1)])
	}
	dst.Colors = colors
	return nil
}

// MapWidth is that of the picture of owners, in pixels.
const MapWidth = 640

// drawOwners draws the mesh as a frame shows it, in the colours of its owners.
func (f *frames) drawOwners(ctx context.Context, owner []int, frame int) ([]byte, error) {
	own := f.Renderer.Options()
	r, err := render.New(render.Options{
		Width: MapWidth, Height: max(1, MapWidth*f.Height/f.Width), Workers: 1, Light: render.LightStudio, BlockSize: own.BlockSize,
		Background: color.RGBA{0xd8, 0xdc, 0xe0, 0xff}, Cull: own.Cull,
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cam := f.cams[frame]
	cam.Aspect = 0
	var pic render.Picture
	size := own.BlockSize
	if len(owner) == scenes.NumBlocks(f.Input.Source) { // it stays in its file
		size = scenes.BlockSize
	}
	src := ownerColored{f.Input.Source, slices.Clone(owner), size}
	if _, err := r.Frame(ctx, src, cam, &pic); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var e png.Encoder
	m := &image.NRGBA{Pix: pic.Pix, Stride: 4 * pic.Width, Rect: image.Rect(0, 0, pic.Width, pic.Height)}
	err = e.Encode(&b, m, nil)
	return b.Bytes(), err
}
