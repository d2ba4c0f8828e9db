package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/page"
	"lockstep/cluster/server"
	"lockstep/cluster/split"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/smallfile"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/scenes"
)

// Names of files of a status page that other machines may see, in a folder of secrets.
const (
	pageToken       = "page.token"
	pageCertificate = "page.pem"
)

// pagePrefix begins the line that says where the page is.
const pagePrefix = "status page: "

// showPage starts a status page and says where it is. dir is where its secrets are kept: the
// same film has the same address.
func (a *app) showPage(listen, dir string, o page.Options, out io.Writer) (*page.Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if n, e := strconv.Atoi(cmp.Or(port, "0")); err != nil || e != nil || n < 0 || n > 65535 {
		return nil, cli.Usagef("--status-page %s: expected host:port or :port", listen)
	}
	o.Listen = listen
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		if o.Token, err = a.keptRandom(filepath.Join(dir, pageToken)); err != nil {
			return nil, err
		}
		if o.TLS, err = keptCertificate(filepath.Join(dir, pageCertificate)); err != nil {
			return nil, err
		}
	}
	shown, err := page.Start(o)
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	fmt.Fprintf(out, "%s%s\n", pagePrefix, shown.URL())
	return shown, nil
}

// showFilms starts the status page of a server.
func (c *serveCommand) showFilms(ctx context.Context, a *app, s *server.Server, address cluster.Address, out io.Writer) (end func(), err error) {
	dir := string(c.Dir)
	address.URL = "nats://" + local(s)
	if address.Seed, err = readKey(pathFlag(filepath.Join(dir, submitKey))); err != nil {
		return nil, err
	}
	conn, err := cluster.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := conn.Prepare(ctx, cluster.Limits{}); err != nil {
		conn.Close()
		return nil, cli.Outputf("%w", err)
	}
	shown, err := a.showPage(c.Page, dir, page.Options{Cluster: conn, Gallery: &filmGallery{cluster: conn}}, out)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() { shown.Close(); conn.Close() }, nil
}

// filmGallery finds pictures for a status page. It implements page.Gallery.
type filmGallery struct {
	cluster *cluster.Cluster
	reel    *reel  // of the film that this process draws; nil: it is a server
	id      string // of that film's job
	mapped  sync.Mutex
}

// Picture implements page.Gallery. Files are looked for where the film's command writes
// them, if that is on this machine, and then among what nodes handed in.
func (g *filmGallery) Picture(ctx context.Context, job cluster.Job, frame int) ([]byte, error) {
	var spec filmSpec
	if err := json.Unmarshal(job.Spec, &spec); err != nil {
		return nil, err
	}
	names, err := framename.New(spec.Output, job.Name, job.Frames)
	if err != nil {
		return nil, err
	}
	if g.reel != nil {
		names = g.reel.names
	}
	var picture []byte
	if err = fs.ErrNotExist; g.reel != nil || !spec.apart() {
		picture, err = smallfile.Read(filepath.Join(spec.Pictures, filepath.Base(names.Name(frame))), smallfile.Picture)
	}
	if err == nil {
		return picture, nil
	}
	d, e := g.cluster.Recorded(ctx, job, frame)
	if e != nil || d == nil || !d.Stored {
		return nil, err
	}
	if picture, e = g.cluster.Picture(ctx, job, frame, d); e != nil {
		return nil, fs.ErrNotExist // its command has fetched it
	}
	return picture, nil
}

// Owners implements page.Gallery.
func (g *filmGallery) Owners(job cluster.Job) *page.Owners {
	if g.reel == nil || job.ID != g.id {
		return nil
	}
	return g.reel.owners.view()
}

// Map implements page.Gallery.
func (g *filmGallery) Map(ctx context.Context, job cluster.Job) ([]byte, error) {
	if g.reel == nil || job.ID != g.id {
		return nil, fs.ErrNotExist
	}
	owner, frame := g.reel.owners.blocks()
	if owner == nil {
		return nil, fs.ErrNotExist
	}
	g.mapped.Lock() // one renderer at a time
	defer g.mapped.Unlock()
	return g.reel.own.drawOwners(ctx, owner, frame)
}

// shownOwners is which node owns which block, as of the latest picture. Its methods may be
// called concurrently.
type shownOwners struct {
	mu      sync.Mutex
	owner   []int
	latest  *page.Owners
	noticed time.Time
}

// note takes over what a picture says of its nodes.
func (s *shownOwners) note(p *split.Picture, now time.Time) {
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
	between := min(now.Sub(s.noticed), p.Elapsed) // frames overlap
	for i := range v.Nodes {
		if between > 0 {
			v.Nodes[i].Busy = min(1, (v.Nodes[i].Seconds+p.Light[i])/between.Seconds())
		}
	}
	s.owner, s.latest, s.noticed = p.Owner, v, now
}

func (s *shownOwners) view() *page.Owners {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

func (s *shownOwners) blocks() (owner []int, frame int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return nil, 0
	}
	return s.owner, s.latest.Frame
}

// ownerColors are colours that most people tell apart, Okabe and Ito's without black; nodes
// beyond them get the same ones, a little darker each time.
var ownerColors = []uint32{0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0xd55e00, 0x56b4e9, 0xf0e442}

func ownerColor(node int) uint32 {
	c, darker := ownerColors[node%len(ownerColors)], uint32(0)
	for range min(node/len(ownerColors), 8) {
		darker += 9
	}
	channel := func(shift uint) uint32 { return (c >> shift & 0xff) * (100 - darker) / 100 << shift }
	return channel(16) | channel(8) | channel(0)
}

// paintedSource is a mesh whose triangles have the colour of their block's owner.
type paintedSource struct {
	scenes.Source
	owner []int
	size  int // triangles of a block that is owned
}

// Info implements scenes.Source.
func (s paintedSource) Info() scenes.Info {
	info := s.Source.Info()
	info.Colors, info.Attributes = true, nil
	return info
}

// ReadBlock implements scenes.Source.
func (s paintedSource) ReadBlock(i int, dst *scenes.Block) error {
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

// mapWidth is that of the picture of owners, in pixels.
const mapWidth = 640

// drawOwners draws the mesh as a frame shows it, in the colours of its owners.
func (f *filmFrames) drawOwners(ctx context.Context, owner []int, frame int) ([]byte, error) {
	own := f.Renderer.Options()
	r, err := render.New(render.Options{
		Width: mapWidth, Height: max(1, mapWidth*f.Height/f.Width), Workers: 1, Light: render.LightStudio, BlockSize: own.BlockSize,
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
	src := paintedSource{f.Input.Source, slices.Clone(owner), size}
	if _, err := r.Frame(ctx, src, cam, &pic); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var e png.Encoder
	m := &image.NRGBA{Pix: pic.Pix, Stride: 4 * pic.Width, Rect: image.Rect(0, 0, pic.Width, pic.Height)}
	err = e.Encode(&b, m, nil)
	return b.Bytes(), err
}
