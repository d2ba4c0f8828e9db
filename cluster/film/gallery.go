package film

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/page"
	"lockstep/cluster/split"
	"lockstep/internal/smallfile"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/scenes"
)

// A Gallery finds pictures and owners of blocks for the status page. It implements page.Gallery.
type Gallery struct {
	Cluster *cluster.Cluster
	// Submission is the film that this process submits. It is nil if this process is only a server.
	Submission *Submission

	mapped sync.Mutex
}

// Picture implements page.Gallery. It first looks for the file in the film's folder, if this machine has that folder.
// Then it looks among the pictures that nodes uploaded to the server.
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
		picture, err = smallfile.Read(filepath.Join(spec.Pictures, filepath.Base(names.Name(frame))), smallfile.MaxPicture)
	}
	if err == nil {
		return picture, nil
	}
	d, e := g.Cluster.Recorded(ctx, job, frame)
	if e != nil || d == nil || !d.Stored {
		return nil, err
	}
	if picture, e = g.Cluster.Picture(ctx, job, frame, d); e != nil {
		return nil, fs.ErrNotExist // the submitter has downloaded the picture and removed it from the server
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
	g.mapped.Lock() // draw one map at a time
	defer g.mapped.Unlock()
	return g.Submission.local.drawOwners(ctx, owner, frame)
}

// An ownerColored is a mesh in which each triangle has the colour of the node that owns its block.
type ownerColored struct {
	scenes.Source
	owner []int
	// size is the number of triangles in each block that a node can own.
	size int
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

// MapWidth is the width of the picture of owners, in pixels.
const MapWidth = 640

// drawOwners draws the mesh as the given frame shows it, in the colours of its owners. It returns a PNG file.
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
	if len(owner) == scenes.NumBlocks(f.Input.Source) { // nodes own blocks of the file, in which the mesh stays
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

// An ownerView remembers which node owned which block in the latest picture. The status page shows it. Its methods may
// be called concurrently.
type ownerView struct {
	mu      sync.Mutex
	owner   []int
	latest  *page.Owners
	updated time.Time
}

// update records the owners and drawing times of a picture.
func (s *ownerView) update(p *split.Picture, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &page.Owners{Epoch: p.Epoch, Frame: p.Frame}
	for i, name := range p.Names {
		v.Nodes = append(v.Nodes, page.Owner{Name: name, Color: fmt.Sprintf("#%06x", ownerColor(i))})
	}
	for b, n := range p.Owner {
		v.Nodes[n].Blocks++
		v.Nodes[n].Seconds += p.Seconds[b]
	}
	// Nodes draw several frames at once. So the time between two pictures may be shorter than the drawing time of one.
	between := min(now.Sub(s.updated), p.Elapsed)
	for i := range v.Nodes {
		if between > 0 {
			v.Nodes[i].Busy = min(1, (v.Nodes[i].Seconds+p.Light[i])/between.Seconds())
		}
	}
	s.owner, s.latest, s.updated = p.Owner, v, now
}

func (s *ownerView) view() *page.Owners {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

func (s *ownerView) blocks() (owner []int, frame int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return nil, 0
	}
	return s.owner, s.latest.Frame
}

// ownerColors are the colours of Okabe and Ito (2008) without black. Colour-blind people can distinguish them. If there
// are more nodes than colours, further nodes get the same colours again, slightly darker each time.
var ownerColors = []uint32{0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0xd55e00, 0x56b4e9, 0xf0e442}

func ownerColor(node int) uint32 {
	c, darker := ownerColors[node%len(ownerColors)], uint32(0)
	for range min(node/len(ownerColors), 8) {
		darker += 9
	}
	channel := func(shift uint) uint32 { return (c >> shift & 0xff) * (100 - darker) / 100 << shift }
	return channel(16) | channel(8) | channel(0)
}
