package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/smallfile"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/png"
	"lockstep/render/recipe"
)

// A nodeCommand draws frames of films for as long as it runs.
type nodeCommand struct {
	Join    string        `required:"" placeholder:"LINE" help:"What render film --listen prints: nats://host:port#sha256:HASH."`
	Key     pathFlag      `placeholder:"FILE" help:"The secret (environment: LOCKSTEP_KEY_FILE)."`
	Name    string        `placeholder:"NAME" help:"Of this node (the machine's name and the process number)."`
	Workers workersFlag   `default:"0" placeholder:"N" help:"Worker threads (0: one a core)."`
	Cache   pathFlag      `placeholder:"DIR" help:"Folder for meshes that come by the server (the user's cache)."`
	Size    bytesFlag     `name:"cache-size" placeholder:"BYTES" help:"That it may hold (16G)."`
	Log     pathFlag      `placeholder:"FILE" help:"Append a line for every frame that is begun: time, film, frame, node."`
	Idle    time.Duration `placeholder:"TIME" help:"End after so long without work (never)."`
	Child   bool          `hidden:"" help:"End with standard input."`
	Moved   pathFlag      `hidden:"" placeholder:"FILE" help:"File with the host:port at which the server listens now."`
}

// joinByInput stands for lines of standard input, see office.tell. A server that starts at the same
// time as its nodes has yet to find a port.
const joinByInput = "-"

// keyFile is the environment variable that names the file of the secret.
const keyFile = "LOCKSTEP_KEY_FILE"

// readKey reads a secret from the file that a flag or the environment names; nil where
// there is none.
func readKey(flag pathFlag) ([]byte, error) {
	name := string(flag)
	if name == "" {
		name = os.Getenv(keyFile)
	}
	if name == "" {
		return nil, nil
	}
	seed, err := smallfile.Read(name, smallfile.Words)
	if err != nil {
		return nil, cli.Usagef("%s: the secret cannot be read: %w", name, err)
	}
	return bytes.TrimSpace(seed), nil
}

// run joins and draws.
func (c *nodeCommand) run(ctx context.Context, a *app) (err error) {
	if err := errors.Join(checkThreads(int(c.Workers)), c.checkName()); err != nil {
		return err
	}
	a.Child.Store(c.Child)
	soft, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &painter{app: a, workers: int(c.Workers), cache: filmCache{dir: string(c.Cache), most: int64(c.Size)}}
	input := bufio.NewReader(a.Stdin)
	var ahead <-chan *cluster.Opened
	if c.Join == joinByInput {
		if ahead, err = c.readJoin(soft, p, input); err != nil {
			return nil // who started it has ended
		}
	}
	address, err := cluster.ParseAddress(c.Join)
	if err != nil {
		return cli.Usagef("--join %w", err)
	}
	if address.Seed, err = readKey(c.Key); err != nil {
		return err
	}
	address.Report = func(err error) { a.Warn("%s: %v", address.URL, err) }
	if c.Moved != "" {
		address.Moved = movedBy(string(c.Moved))
	}
	begin := c.watchInput(input, ahead != nil, cancel)
	conn, err := cluster.Dial(soft, address)
	if err != nil {
		if soft.Err() != nil {
			return nil
		}
		return refusal(err)
	}
	defer conn.Close()
	a.measure()
	name := c.Name
	if name == "" {
		name = nodeName()
	}
	log, err := c.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	p.cluster, p.log, p.name = conn, log, name
	o := cluster.WorkOptions{
		Name: name, Idle: c.Idle,
		Report: func(job cluster.Job, frame int, err error) {
			if frame < 0 {
				a.Warn("%v", err)
			} else {
				a.Warn("%s, frame %d: %v", job.Name, frame, err)
			}
		},
	}
	if ahead != nil {
		o.Opened = <-ahead
	}
	<-begin
	err = conn.Work(soft, ctx, p, o)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, cluster.ErrBlocked):
		return cli.Partialf("%w", err)
	case soft.Err() != nil:
		return nil
	}
	return err
}

// refusal is the error of a server that is none for us.
func refusal(err error) error {
	if errors.Is(err, cluster.ErrNoKey) || errors.Is(err, cluster.ErrKey) {
		return cli.Inputf("%w (--key FILE, or %s=FILE in the environment)", err, keyFile)
	}
	return cli.Inputf("%w", err)
}

// A painter draws films for a node. It implements cluster.Painter.
type painter struct {
	app     *app
	cluster *cluster.Cluster
	workers int
	cache   filmCache
	log     *os.File // nil: none
	name    string   // of the node
}

// openLog opens the file of --log, nil without one.
func (c *nodeCommand) openLog() (*os.File, error) {
	if c.Log == "" {
		return nil, nil
	}
	f, err := os.OpenFile(string(c.Log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	return f, nil
}

// Open implements cluster.Painter.
func (p *painter) Open(ctx context.Context, job cluster.Job) (cluster.Frames, error) {
	return p.open(ctx, job, false)
}

// open gets ready for a job, whose frames are drawn whole or in parts.
func (p *painter) open(ctx context.Context, job cluster.Job, parts bool) (*filmFrames, error) {
	var spec filmSpec
	if err := json.Unmarshal(job.Spec, &spec); err != nil {
		return nil, fmt.Errorf("film %s: malformed: %w", job.Name, err)
	}
	place, fetched, err := p.filesOf(ctx, job, &spec)
	if err != nil {
		return nil, err
	}
	c, err := p.command(&spec, place)
	if err != nil {
		return nil, fmt.Errorf("film %s: %w", job.Name, err)
	}
	frames, err := c.openFrames(ctx, p.app, p.workers, parts)
	if err != nil {
		return nil, err
	}
	if err := p.take(frames, job, &spec, fetched); err != nil {
		frames.Close()
		return nil, err
	}
	return frames, nil
}

// command reads a film's command line; place finds its files.
func (p *painter) command(spec *filmSpec, place func(folder, name string) string) (*filmCommand, error) {
	c := &filmCommand{contents: spec.Contents}
	parser, err := newParser("film", c, &cli.GlobalFlags{}, io.Discard)
	if err != nil {
		return nil, err
	}
	if _, err := parse(parser, mapConfig(spec.Args, place)); err != nil {
		return nil, fmt.Errorf("of another version: %w", err)
	}
	c.mapFiles(place)
	if out := string(c.Output); !filepath.IsAbs(out) {
		c.Output = pathFlag(joinOutput(spec.Folder, out))
	}
	return c, errors.Join(c.checkFilm(), c.animateCommand.check(p.app))
}

// take prepares frames for a job. It returns an error if they would be other pictures. The files must be those
// that the command read, and the same number of them, unless they were fetched: then they are copies, which the
// job names by their contents.
func (p *painter) take(frames *filmFrames, job cluster.Job, spec *filmSpec, fetched bool) error {
	if frames.text() != spec.Text || !fetched && sourceState(frames.sources) != spec.State {
		return fmt.Errorf("film %s: this node would draw something else: its mesh or version differs", job.Name)
	}
	frames.apart = spec.apart()
	frames.begin = func(k int) {
		if p.log != nil { // a line that is lost changes no picture
			fmt.Fprintf(p.log, "%s %s %d %s\n", time.Now().UTC().Format(time.RFC3339Nano), job.ID, k, p.name)
		}
	}
	return nil
}

// filesOf returns where the files of a film are on this machine: as the command names them,
// or in a folder that they were fetched to.
func (p *painter) filesOf(ctx context.Context, job cluster.Job, spec *filmSpec) (place func(folder, name string) string, fetched bool, err error) {
	if spec.hasFiles(job.Files) {
		return spec.here, false, nil
	}
	cached, err := p.cache.fetch(ctx, p.cluster, job)
	if err != nil {
		return nil, false, fmt.Errorf("film %s: %w", job.Name, err)
	}
	return func(folder, name string) string { return filepath.Join(cached, folder, filepath.Base(name)) }, true, nil
}

// here returns where a file of the command's machine is.
func (s *filmSpec) here(_, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.Folder, name)
}

// joinOutput is filepath.Join for names that may end in a separator, which says that they
// are folders.
func joinOutput(folder, out string) string { return folder + string(filepath.Separator) + out }

// filmFrames draws the frames of one film. It implements cluster.Frames.
type filmFrames struct {
	*pipeline
	flags   *filmCommand
	names   *framename.Names
	cams    []render.Camera
	views   []recipe.View
	pic     render.Picture
	file    bytes.Buffer
	bands   *png.Bands   // that owners of rows encode; nil where frames are drawn whole, see newBands
	boot    string       // of the machine, see fileState
	kept    string       // state of the last picture's file
	sources []sourceFile // that pictures depend on, by name
	apart   bool         // this machine does not have the command's folder
	begin   func(k int)  // unless nil, is told of frames that are begun
}

// openFrames reads the mesh and starts a renderer of that many workers, 0 for one a core.
// Where frames are drawn in parts, the times of blocks are taken, and a mesh of which this is
// possible stays in its file.
func (c *filmCommand) openFrames(ctx context.Context, a *app, workers int, parts bool) (*filmFrames, error) {
	names, err := frameNames(string(c.Output), string(c.Mesh), int(c.Frames))
	if err != nil {
		return nil, err
	}
	a.noteContents = c.contents == ""
	a.opened = &openedFiles{files: map[string]sourceFile{}}
	for folder, name := range map[string]string{configFolder: string(c.Config), keyframesFolder: string(c.Keyframes), cameraFolder: string(c.Camera)} {
		if name != "" && !inlineKeys(name) {
			a.opened.noteFile(folder, name)
		}
	}
	w, err := c.newPipeline(ctx, a, parts, func(o *render.Options) {
		o.TimeBlocks = parts
		o.Workers, o.Pin = workers, false // processes that share cores would be pinned to the same ones
	})
	if err != nil {
		return nil, err
	}
	if c.contents != "" {
		w.Input.Contents = c.contents
	}
	f := &filmFrames{pipeline: w, flags: c, names: names, boot: bootID(), sources: a.opened.list()}
	if err := w.Input.CheckNotEmpty(); err != nil {
		f.Close()
		return nil, err
	}
	if f.cams, f.views, err = c.cameras(ctx, a, w.Input); err != nil {
		f.Close()
		return nil, c.fitError(ctx, err)
	}
	if parts {
		if f.bands, err = f.newBands(ctx); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// text returns what the first and the last picture say of themselves.
func (f *filmFrames) text() string {
	last := len(f.cams) - 1
	return fmt.Sprint(f.Width, f.Height, f.describeFrame(0), f.describeFrame(last), f.Input.Source.Len())
}

// describeFrame returns the text of frame k.
func (f *filmFrames) describeFrame(k int) []png.Text {
	return f.Picture.Text(f.Input, f.cams[k], f.views[k])
}

// Draw implements cluster.Frames.
func (f *filmFrames) Draw(ctx context.Context, k int) ([]byte, error) {
	picture, err := f.drawFile(ctx, k)
	return picture, judge(err)
}

// drawFile returns the file of frame k.
func (f *filmFrames) drawFile(ctx context.Context, k int) ([]byte, error) {
	if f.begin != nil {
		f.begin(k)
	}
	if err := f.Input.Smooth(ctx); err != nil {
		return nil, err
	}
	stats, err := f.draw(ctx, f.Input.Source, f.cams[k], &f.pic)
	if err != nil {
		return nil, err
	}
	if stats.Covered == 0 {
		return nil, cli.Blankf("%s: nothing of it would be visible", f.Input.Name)
	}
	f.file.Reset()
	if err := f.encode(ctx, bufferFile{&f.file}, &f.pic, f.describeFrame(k)); err != nil {
		return nil, err
	}
	return f.file.Bytes(), ctx.Err()
}

// Keep implements cluster.Frames.
func (f *filmFrames) Keep(_ context.Context, k int, picture []byte) (kept bool, err error) {
	if f.apart {
		return false, nil
	}
	out, err := f.app.Files.Create(f.names.Name(k))
	if err != nil {
		return false, err
	}
	defer out.Abort()
	if _, err := out.Write(picture); err != nil {
		return false, atomicfile.Failure(err)
	}
	written, err := out.Stat()
	if err != nil {
		return false, atomicfile.Failure(err)
	}
	if err := out.Commit(); err != nil {
		return false, err
	}
	f.kept = f.stateAsWritten(f.names.Name(k), written)
	return true, nil
}

func (f *filmFrames) fileState(name string) string { return fileState(f.boot, name) }

// File implements cluster.Filer.
func (f *filmFrames) File() string { return f.kept }

// Close implements cluster.Frames.
func (f *filmFrames) Close() error {
	f.pipeline.close()
	return nil
}

// bufferFile is an outFile in memory.
type bufferFile struct{ io.Writer }

func (bufferFile) Commit() error { return nil }
func (bufferFile) Abort()        {}
