package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/jpeg"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/render/rim"
)

// A session draws the pictures for one browser, one at a time.
type session struct {
	server  *Server
	browser *browser // nil in benchmarks
	quality *quality
	choice  meshChoice // meshes of the last request
	file    int
	base    *recipe.Base

	cachedInput   *recipe.Input // prepared mesh of the last recipe; nil before the first
	cachedKey     string        // meshKey of the recipe of cachedInput
	sections      sectionCache
	rims          *rim.Finder     // finds rims of a mesh, see pickedRim; nil before the first pick
	rimsOf        string          // meshKey of the recipe of the mesh that rims searches
	drawing       *recipe.Drawing // draws movements; nil before the first
	drawnKey      string          // recipe of drawing, as JSON without its camera
	options       render.Options  // options of the renderer of drawing
	level         int
	sent          map[uint32]movement // movements that the page has not confirmed yet, by number of their request
	pic           render.Picture
	panel         balancePanel
	damageTold    bool // whether the page was told about Base.Damage
	encoder       png.Encoder
	jpegs         jpeg.Encoder
	stills        recipe.Stills // draws the still pictures after each movement
	out           bytes.Buffer
	movementFiles pictureFiles // files of the pictures of a movement
}

func (s *session) close() {
	s.endDrawing()
	s.stills.Close()
	s.cachedInput, s.cachedKey, s.rims, s.sections = nil, "", nil, sectionCache{}
}

func (s *session) endDrawing() {
	if s.drawing != nil {
		s.drawing.Renderer.Close() // inputs of a base need no Close
		s.drawing = nil
	}
}

// meshKey returns a text that is the same for recipes with the same meshes, normals and shadows. This key depends on
// the camera only if the camera determines which side of a section is cut off.
func meshKey(p recipe.Picture) (string, error) {
	if eye, target := p.Camera.Eye, p.Camera.Target; eye != nil && target != nil {
		p.Cuts.Sections = slices.Clone(p.Cuts.Sections)
		for i := range p.Cuts.Sections {
			s := &p.Cuts.Sections[i]
			if s.Keep != '=' {
				continue
			}
			if s.Keep = '<'; mgl64.Vec3(s.Normal).Dot(mgl64.Vec3(*target).Sub(mgl64.Vec3(*eye))) > 0 {
				s.Keep = '>'
			}
		}
	}
	p.Camera, p.Size, p.Lines, p.Look.Samples = recipe.Camera{}, recipe.Size{}, recipe.Lines{}, 0
	text, err := json.Marshal(p)
	return string(text), err
}

// preparedKey returns the key for the prepared mesh of a recipe: the result of meshKey, and in one case a suffix. The
// case is that the base of the session leaves the mesh in its file, but the recipe's lines need the mesh in memory.
func (s *session) preparedKey(p recipe.Picture) (string, error) {
	key, err := meshKey(p)
	if s.base.Mesh() == nil && p.Annotations().NeedsMesh() {
		key += " in memory"
	}
	return key, err
}

// preparedInput returns the prepared mesh of a recipe for pictures with the options o: the stored mesh if it has the
// same key, and otherwise a new one. A new mesh is stored if keep is true.
func (s *session) preparedInput(ctx context.Context, p recipe.Picture, o render.Options, keep bool) (*recipe.Input, error) {
	key, err := s.preparedKey(p)
	if err != nil {
		return nil, err
	}
	if s.cachedInput != nil && s.cachedKey == key {
		return s.cachedInput, nil
	}
	in, err := s.server.options.Drawer.OpenBase(ctx, s.base, p, o)
	if err == nil && keep {
		s.cachedInput, s.cachedKey = in, key
		// The next movement must start a new drawing with this mesh. The present drawing may have the mesh of a moved
		// section.
		s.drawnKey = ""
	}
	return in, err
}

// wholeInput is like input, but the mesh is in memory even if pictures of the recipe do not need it there.
func (s *session) wholeInput(ctx context.Context, p recipe.Picture, o render.Options) (*recipe.Input, error) {
	in, err := s.preparedInput(ctx, p, o, false)
	if err != nil || in.Mesh() != nil {
		return in, err
	}
	d := s.server.options.Drawer
	d.Resident = true
	return d.OpenBase(ctx, s.base, p, o)
}

// takeDamageMessage returns the message about damage in a mesh's file that was found while drawing, or nil if the page
// knows of all damage.
func (s *session) takeDamageMessage() []byte {
	if s.base == nil || s.damageTold || s.base.Damage() == nil {
		return nil
	}
	s.damageTold = true
	text, err := json.Marshal(warning{"warning", s.base.Damage().Error() + ": its triangles are left out"})
	if err != nil {
		return nil
	}
	return text
}

// picture returns the recipe of a request, including its meshes.
func (s *session) picture(r *request) recipe.Picture {
	p := r.Picture
	p.Meshes = s.choice.meshes
	return p
}

// setMesh sets the mesh of the session to that of a request. The mesh of the last request is not read again.
func (s *session) setMesh(ctx context.Context, r *request) (err error) {
	if s.choice, err = s.server.chooseMeshes(s.browser, r); err != nil {
		return err
	}
	if s.base != nil && s.file == r.File {
		return nil
	}
	base, err := s.server.firstMesh(ctx, r.File, s.choice)
	if err != nil {
		return err
	}
	s.close()
	s.file, s.base, s.drawnKey, s.damageTold = r.File, base, "", false
	if s.quality, err = newQuality(s.server.options.Policy, base.Len()); err != nil {
		return err
	}
	return nil
}

// drawMovement draws a movement, and returns the message with its picture.
func (s *session) drawMovement(ctx context.Context, r *request) ([]byte, error) {
	s.observeTrip(r)
	began := time.Now()
	p := s.picture(r)
	if err := s.prepareDrawing(ctx, withoutShadow(p)); err != nil {
		return nil, err
	}
	g := s.drawing
	g.Picture.Camera = p.Camera
	cam, err := g.Picture.Fit(ctx, g.Input)
	if err != nil {
		return nil, err
	}
	stats, err := g.Frame(ctx, g.Input.Source, cam, &s.pic)
	if err != nil {
		return nil, err
	}
	drawn := time.Since(began)
	if r.Panel {
		s.makeReport(r, &stats)
	}
	if err := s.encode(ctx); err != nil {
		return nil, err
	}
	encoded := time.Since(began) - drawn
	s.awaitTrip(r.Seq, movement{level: s.level, serverTime: time.Since(r.received).Seconds() * 1e3})
	return s.movementFiles.message(pictureHeader(r.Seq, moving, byte(s.level), drawn.Seconds(), encoded.Seconds())), nil
}

// maxSent is the largest number of pictures whose round-trip times are awaited. In practice fewer than maxSent pictures
// are in transit at a time.
const maxSent = 8

// observeTrip passes the round-trip time of r.Shown, the movement last shown, to the quality of movements.
func (s *session) observeTrip(r *request) {
	m, known := s.sent[r.Shown]
	maps.DeleteFunc(s.sent, func(seq uint32, _ movement) bool { return seq <= r.Shown })
	if known {
		m.trip = r.Trip
		s.quality.observe(m)
	}
}

// awaitTrip stores a movement until its round-trip time is known.
func (s *session) awaitTrip(seq uint32, m movement) {
	if s.sent == nil || len(s.sent) == maxSent {
		s.sent = map[uint32]movement{}
	}
	s.sent[seq] = m
}

// renderOptions returns the options for pictures of a recipe, including the settings of a drawer.
func renderOptions(d *recipe.Drawer, p recipe.Picture) render.Options {
	o := p.RenderOptions()
	o.Workers, o.ISA, o.Balance, o.Costs, o.Leaves = d.Workers, d.ISA, d.Balance, d.Costs, d.Leaves
	return o
}

// encode writes the picture of a movement to movementFiles. The format is PNG if the picture is transparent. Otherwise
// it is JPEG, which is faster to encode, send and decode.
func (s *session) encode(ctx context.Context) error {
	s.movementFiles.reset()
	g := s.drawing
	if g.Picture.Opaque() {
		options := &jpeg.Options{Quality: levels[s.level].quality, Run: g.RunTasks(ctx), Rows: fileRows(s.pic.Width)}
		return s.jpegs.EncodeRGBA(&s.movementFiles, s.pic.Pix, 4*s.pic.Width, s.pic.Width, s.pic.Height, options)
	}
	s.out.Reset()
	options := &png.Options{Level: png.Quick, Channels: png.ChannelsRGBA, Run: g.RunTasks(ctx)}
	if err := s.encoder.EncodeRGBA(&s.out, s.pic.Pix, 4*s.pic.Width, s.pic.Width, s.pic.Height, options); err != nil {
		return err
	}
	_, err := s.movementFiles.Write(s.out.Bytes())
	return err
}

// prepareDrawing makes the drawing for movements of a recipe at the present level, unless that drawing exists already.
func (s *session) prepareDrawing(ctx context.Context, p recipe.Picture) error {
	if err := p.Validate(); err != nil {
		return err
	}
	without := p
	without.Camera = recipe.Camera{}
	key, err := json.Marshal(without)
	if err != nil {
		return err
	}
	if s.drawing != nil && s.drawnKey == string(key) && s.level == s.quality.level {
		return nil
	}
	s.level = s.quality.level
	l := levels[s.level]
	if l.divisor > 1 {
		p.Size = recipe.Size{Width: max(p.Size.Width/l.divisor, 1), Height: max(p.Size.Height/l.divisor, 1)}
	}
	d := s.server.options.Drawer
	o := l.apply(renderOptions(&s.server.options.Drawer, p))
	o.Width, o.Height = p.Size.Width, p.Size.Height
	in, err := s.movedInput(ctx, p, o)
	if err != nil {
		return err
	}
	if err := in.CheckNotEmpty(); err != nil {
		return err
	}
	if err := s.beginDrawing(p, d.Look(p, in, o)); err != nil {
		return err
	}
	s.drawing.Input, s.drawnKey = in, string(key)
	return nil
}

// beginDrawing makes a new drawing. If the options have not changed, for example when only a cut has moved, it keeps
// the renderer. Allocating the memory of a new renderer would take as long as drawing the frame.
func (s *session) beginDrawing(p recipe.Picture, o render.Options) error {
	if s.drawing != nil && reflect.DeepEqual(s.options, o) {
		s.drawing = s.server.options.Drawer.BeginWith(s.drawing.Renderer, p, o)
		return nil
	}
	g, err := s.server.options.Drawer.Begin(p, o)
	if err == nil {
		s.endDrawing()
		s.drawing, s.options = g, o
	}
	return err
}

// drawStill draws a still picture, and returns the message with its file.
func (s *session) drawStill(ctx context.Context, r *request) ([]byte, error) {
	began := time.Now()
	s.out.Reset()
	p := s.picture(r)
	if r.Fine == 0 && p.Look.Samples == 0 {
		p.Look.Samples = 4
	}
	if err := s.writeStill(ctx, p); err != nil {
		return nil, err
	}
	return append(pictureHeader(r.Seq, still, byte(r.Fine), time.Since(began).Seconds(), 0), s.out.Bytes()...), nil
}

// writeStill writes the file of a recipe to out.
func (s *session) writeStill(ctx context.Context, p recipe.Picture) error {
	d := s.server.options.Drawer
	if s.choice.dropped == nil && (p.Streams() || !s.base.Fits(p)) {
		return d.PNG(ctx, &s.out, p, recipe.Output{})
	}
	if err := p.Validate(); err != nil {
		return err
	}
	in, err := s.preparedInput(ctx, p, renderOptions(&s.server.options.Drawer, p), true)
	if err != nil {
		return err
	}
	if p.Look.Samples == 0 { // with the default samples of single pictures, drawing takes much memory
		s.stills.MakeRoom(&d, in, p)
		return d.InputPNG(ctx, &s.out, in, p)
	}
	return s.stills.InputPNG(ctx, &d, &s.out, in, p)
}

// answerFit returns the message with the camera that shows the whole mesh from the direction of a request.
func (s *session) answerFit(ctx context.Context, r *request) ([]byte, error) {
	p := s.picture(r)
	p.Camera.Eye, p.Camera.Target, p.Camera.Upward, p.Camera.Height = nil, nil, nil, 0
	in, cam, err := s.fittedCamera(ctx, p)
	if err != nil {
		return nil, err
	}
	c := cameraOf(&cam, in.Source.Info().Origin)
	c.Kind, c.Seq = "fit", r.Seq
	return json.Marshal(c)
}

// fittedCamera returns the mesh of a recipe and a camera that is fitted to it.
func (s *session) fittedCamera(ctx context.Context, p recipe.Picture) (*recipe.Input, render.Camera, error) {
	in, err := s.inputForGeometry(ctx, p)
	if err != nil {
		return nil, render.Camera{}, err
	}
	cam, err := p.Fit(ctx, in)
	return in, cam, err
}

// inputForGeometry returns the mesh of a recipe for purposes that need no normals. A mesh that is compared with
// another one is stored in the session, because comparing takes long.
func (s *session) inputForGeometry(ctx context.Context, p recipe.Picture) (in *recipe.Input, err error) {
	key, err := s.preparedKey(p)
	if err != nil {
		return nil, err
	}
	if compared := len(p.Meshes) > 1; s.cachedInput == nil || s.cachedKey != key || compared {
		if !compared {
			p.Look.Shading = "flat"
		}
		if in, err = s.preparedInput(ctx, p, p.RenderOptions(), compared); err != nil {
			return nil, err
		}
	} else {
		in = s.cachedInput
	}
	return in, in.CheckNotEmpty()
}

// answer carries out a request. It returns the message for the page and whether the message is binary. An error of a
// request becomes a message, too. err is set only if ctx has ended, and then the session ends.
func (s *session) answer(ctx context.Context, r *request) (message []byte, binary bool, err error) {
	if err = s.setMesh(ctx, r); err == nil {
		switch r.Kind {
		case "move":
			binary = true
			message, err = s.drawMovement(ctx, r)
		case "still":
			binary = true
			message, err = s.drawStill(ctx, r)
		case "heat":
			binary = true
			message, err = s.drawHeat(ctx, r)
		case "pick":
			message, err = s.answerPick(ctx, r)
		case "fit":
			message, err = s.answerFit(ctx, r)
		case "file", "step":
			message, err = s.describeMesh(ctx, r)
		default:
			err = errors.New("request: unknown kind")
		}
	}
	if err == nil || ctx.Err() != nil {
		return message, binary, ctx.Err()
	}
	message, err = json.Marshal(failure{"error", r.Seq, recipe.FlagWords(err.Error())})
	return message, false, err
}
