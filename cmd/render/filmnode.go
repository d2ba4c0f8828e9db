package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/png"
)

// A nodeCommand draws frames of films for as long as it runs.
type nodeCommand struct {
	Join    string        `required:"" placeholder:"LINE" help:"What render film --listen prints: nats://host:port#sha256:HASH."`
	Key     pathFlag      `placeholder:"FILE" help:"The secret (environment: LOCKSTEP_KEY_FILE)."`
	Name    string        `placeholder:"NAME" help:"Of this node (the machine's name and the process number)."`
	Workers workersFlag   `default:"0" placeholder:"N" help:"Worker threads (0: one a core)."`
	Idle    time.Duration `placeholder:"TIME" help:"End after so long without work (never)."`
	Child   bool          `hidden:"" help:"End with standard input."`
}

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
	seed, err := os.ReadFile(name)
	if err != nil {
		return nil, usagef("%s: the secret cannot be read: %w", name, err)
	}
	return bytes.TrimSpace(seed), nil
}

// run joins and draws.
func (c *nodeCommand) run(ctx context.Context, a *app) error {
	if err := checkWorkers(int(c.Workers)); err != nil {
		return err
	}
	address, err := cluster.ParseAddress(c.Join)
	if err != nil {
		return usagef("--join %w", err)
	}
	if address.Seed, err = readKey(c.Key); err != nil {
		return err
	}
	address.Report = func(err error) { a.warn("%s: %v", address.URL, err) }
	soft, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Child {
		go func() { io.Copy(io.Discard, a.stdin); cancel() }()
	}
	conn, err := cluster.Dial(soft, address)
	if err != nil {
		if soft.Err() != nil {
			return nil
		}
		return inputf("%w", err)
	}
	defer conn.Close()
	a.measure()
	name := c.Name
	if name == "" {
		name = nodeName()
	}
	err = conn.Work(soft, ctx, &painter{app: a, workers: int(c.Workers)}, cluster.WorkOptions{
		Name: name, Idle: c.Idle,
		Report: func(job cluster.Job, frame int, err error) {
			if frame < 0 {
				a.warn("%v", err)
			} else {
				a.warn("%s, frame %d: %v", job.Name, frame, err)
			}
		},
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, cluster.ErrBlocked):
		return partialf("%w", err)
	case soft.Err() != nil:
		return nil
	}
	return err
}

// nodeName makes a name of the machine's and the process's number.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	host = regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(host, "-")
	return fmt.Sprintf("%.100s-%d", strings.Trim(host, "-"), os.Getpid())
}

// A painter draws films for a node. It implements cluster.Painter.
type painter struct {
	app     *app
	workers int
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
	c := &filmCommand{}
	parser, err := newParser("film", c, &globalFlags{}, io.Discard)
	if err != nil {
		return nil, err
	}
	if _, err := parse(parser, spec.Args); err != nil {
		return nil, fmt.Errorf("film %s: of another version: %w", job.Name, err)
	}
	if mesh := string(c.Mesh); !strings.HasPrefix(mesh, sceneScheme) && !filepath.IsAbs(mesh) {
		c.Mesh = pathFlag(filepath.Join(spec.Folder, mesh))
	}
	if out := string(c.Output); !filepath.IsAbs(out) {
		c.Output = pathFlag(joinOutput(spec.Folder, out))
	}
	if err := errors.Join(c.checkFilm(), c.animateCommand.check(p.app)); err != nil {
		return nil, err
	}
	frames, err := c.openFrames(ctx, p.app, p.workers, parts)
	if err != nil {
		return nil, err
	}
	if text := frames.text(); text != spec.Text {
		frames.Close()
		return nil, fmt.Errorf("film %s: this node would draw something else: its mesh or version differs", job.Name)
	}
	return frames, nil
}

// joinOutput is filepath.Join for names that may end in a separator, which says that they
// are folders.
func joinOutput(folder, out string) string { return folder + string(filepath.Separator) + out }

// filmFrames draws the frames of one film. It implements cluster.Frames.
type filmFrames struct {
	*pipeline
	flags *filmCommand
	names *frameNames
	cams  []render.Camera
	views []viewFlag
	pic   render.Picture
	file  bytes.Buffer
}

// openFrames reads the mesh and starts a renderer of that many workers, 0 for one a core.
// Where frames are drawn in parts, the times of blocks are taken.
func (c *filmCommand) openFrames(ctx context.Context, a *app, workers int, parts bool) (*filmFrames, error) {
	names, err := newFrameNames(string(c.Output), string(c.Mesh), int(c.Frames))
	if err != nil {
		return nil, err
	}
	w, err := c.newPipeline(ctx, a, false, func(o *render.Options) {
		o.TimeBlocks = parts
		o.Workers, o.Pin = workers, false // processes that share cores would be pinned to the same ones
	})
	if err != nil {
		return nil, err
	}
	f := &filmFrames{pipeline: w, flags: c, names: names}
	if err := w.checkNotEmpty(); err != nil {
		f.Close()
		return nil, err
	}
	if f.cams, f.views, err = c.cameras(ctx, w.in); err != nil {
		f.Close()
		return nil, fitError(ctx, err)
	}
	return f, nil
}

// text returns what the first and the last picture say of themselves.
func (f *filmFrames) text() string {
	last := len(f.cams) - 1
	return fmt.Sprint(f.width, f.height, f.describeFrame(0), f.describeFrame(last), f.in.src.Len())
}

// describeFrame returns the text of frame k.
func (f *filmFrames) describeFrame(k int) []png.Text {
	return f.flags.describe(f.in, f.cams[k], f.views[k])
}

// meshState tells a mesh file from the one of the same name that it is replaced by.
func (f *filmFrames) meshState() string {
	info, err := os.Stat(f.in.path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// Draw implements cluster.Frames.
func (f *filmFrames) Draw(ctx context.Context, k int) ([]byte, error) {
	stats, err := f.draw(ctx, f.in.src, f.cams[k], &f.pic)
	if err != nil {
		return nil, err
	}
	if stats.Covered == 0 {
		return nil, blankf("%s: nothing of it would be visible", f.in.name)
	}
	f.file.Reset()
	if err := f.encode(ctx, bufferFile{&f.file}, &f.pic, f.describeFrame(k)); err != nil {
		return nil, err
	}
	return f.file.Bytes(), ctx.Err()
}

// Keep implements cluster.Frames.
func (f *filmFrames) Keep(_ context.Context, k int, picture []byte) error {
	out, err := f.app.create(f.names.name(k))
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(picture); err != nil {
		return atomicfile.Failure(err)
	}
	return out.Commit()
}

// Close implements cluster.Frames.
func (f *filmFrames) Close() error {
	f.pipeline.close()
	return nil
}

// bufferFile is an outFile in memory.
type bufferFile struct{ io.Writer }

func (bufferFile) Commit() error { return nil }
func (bufferFile) Abort()        {}
