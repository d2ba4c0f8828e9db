package film

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/lb"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A Film is an animation and how nodes draw it.
type Film struct {
	Animation recipe.Animation
	// Output says where pictures go: File is their folder, or their names with a place for the number, such as
	// turn/####.png. They are PNG.
	Output recipe.Output
	// Tries, Lease, Timeout and Priority are those of cluster.Job, with its defaults.
	Tries          int
	Lease, Timeout time.Duration
	Priority       int
	// Shared has every frame drawn by all nodes together.
	Shared bool
	// Open lets nodes draw that are of another build or have not the files of the recipe: they get them by the server.
	Open bool
}

// Validate returns what is wrong with the film by itself: Faults of the recipe, or another error.
func (f *Film) Validate() error {
	if err := f.Animation.Validate(); err != nil {
		return err
	}
	switch {
	case f.Animation.Full().Frames > cluster.MaxFrames:
		return fmt.Errorf("%d frames: expected at most %d", f.Animation.Full().Frames, cluster.MaxFrames)
	case len(f.Animation.More) > 0:
		return errors.New("a film shows one mesh")
	case f.Animation.Picture.Meshes[0].File == "-":
		return errors.New("every node reads the mesh: expected a file, not standard input")
	case f.Output.File == "":
		return errors.New("expected a folder for the pictures")
	case f.Output.Format != "" && f.Output.Format != "png":
		return fmt.Errorf("format %s: the pictures of films are PNG", f.Output.Format)
	case f.Output.DPI < 0 || f.Output.DPI > maxDPI:
		return fmt.Errorf("%d dots an inch: expected 0 to %d", f.Output.DPI, maxDPI)
	case f.Shared && f.Animation.Picture.Crop != (recipe.Rect{}):
		return errors.New("nodes draw whole pictures together, and a crop leaves parts out")
	}
	return nil
}

// mostDPI is above what prints and films have.
const maxDPI = 10_000

// checkFiles refuses meshes that nodes cannot read, or not again: pipes and devices may never end, and names that are no
// text do not go through a job.
func checkFiles(meshes []recipe.Mesh) error {
	for _, m := range meshes {
		info, err := os.Stat(m.File)
		switch {
		case m.IsScene():
		case !utf8.ValidString(m.File):
			return &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("%q: nodes are told names in UTF-8", m.File)}
		case err == nil && !info.Mode().IsRegular() && !info.IsDir():
			return &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("%s: every node reads the mesh: expected a file", m.File)}
		}
	}
	return nil
}

// names returns the names of the pictures.
func (f *Film) names() (*framename.Names, error) {
	return framename.New(f.Output.File, f.Animation.Picture.Meshes[0].File, f.Animation.Full().Frames)
}

// A spec is the specification of a film's job: what a node needs to draw it, and what the pictures must say of
// themselves.
type spec struct {
	Animation recipe.Animation `json:"animation"` // with absolute names of files, as they are on the submitter's machine
	Output    recipe.Output    `json:"output"`    // with an absolute name
	Drawing   drawing          `json:"drawing"`

	Program string `json:"program"`          // that pictures say they are made by
	Pixels  string `json:"pixels,omitempty"` // fingerprint of the submitter's pictures
	Text    string `json:"text,omitempty"`   // of the first and the last picture: the same film has the same
	State   string `json:"state,omitempty"`  // of the files, see sourceState

	Files    []fileLocation `json:"files,omitempty"`    // of the job, for nodes on other machines
	Contents string         `json:"contents,omitempty"` // of the mesh's files, which pictures say
	Pictures string         `json:"pictures"`           // folder of the pictures
	Token    string         `json:"token,omitempty"`    // that is in it, see apart
}

// drawing is what a node's recipe.Drawer has of the submitter's.
type drawing struct {
	ISA          string `json:"isa,omitempty"`
	Balance      string `json:"balance,omitempty"`
	Strict       bool   `json:"strict,omitempty"`
	MaxTriangles int64  `json:"maxTriangles,omitempty"`
	MaxMemory    int64  `json:"maxMemory,omitempty"`
}

// drawingOf returns that of a drawer.
func drawingOf(d *recipe.Drawer) drawing {
	return drawing{d.ISA, d.Balance.String(), d.Read.Strict, d.Read.MaxTriangles, d.Read.MaxMemory}
}

// drawer returns a drawer that draws so.
func (d *drawing) drawer() (recipe.Drawer, error) {
	r := recipe.Drawer{ISA: d.ISA, Read: scenes.ReadOptions{Strict: d.Strict, MaxTriangles: d.MaxTriangles, MaxMemory: d.MaxMemory}}
	if d.Balance == "" {
		return r, nil
	}
	err := (*lb.Policy)(&r.Balance).UnmarshalText([]byte(d.Balance))
	return r, err
}

// known returns what is known of a film before its mesh is read.
func (f *Film) newSpec(d *recipe.Drawer) (s *spec, err error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	s = &spec{Animation: f.Animation.Normal(), Output: f.Output, Drawing: drawingOf(d), Program: recipe.Program}
	if err := s.mapFiles(func(_, name string) (string, error) { return filepath.Abs(name) }); err != nil {
		return nil, err
	}
	if s.Pictures, err = filepath.Abs(names.Folder()); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(f.Output.File) {
		here, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		s.Output.File = here + string(filepath.Separator) + f.Output.File // it may end in a separator, for a folder
	}
	return s, nil
}

// place has the recipe name its files where at says, by their folders among the files of a film and their names.
func (s *spec) mapFiles(mapName func(folder, name string) (string, error)) (err error) {
	meshes := append([]recipe.Mesh(nil), s.Animation.Picture.Meshes...)
	for i := range meshes {
		if m := &meshes[i]; !m.IsScene() {
			if m.File, err = mapName(recipe.Folder(i), m.File); err != nil {
				return err
			}
		}
	}
	s.Animation.Picture.Meshes = meshes
	return nil
}

// names returns the names of the pictures on the submitter's machine.
func (s *spec) names() (*framename.Names, error) {
	return framename.New(s.Output.File, s.Animation.Picture.Meshes[0].File, s.Animation.Full().Frames)
}

// readSpec reads the specification of a job.
func readSpec(job cluster.Job) (*spec, error) {
	s := new(spec)
	if err := json.Unmarshal(job.Spec, s); err != nil {
		return nil, fmt.Errorf("film %s: of another version, or malformed: %w", job.Name, err)
	}
	if len(s.Animation.Picture.Meshes) == 0 {
		return nil, fmt.Errorf("film %s: malformed: it has no mesh", job.Name)
	}
	return s, nil
}

// id names a film by its recipe without folders, by what its pictures say of themselves, where they go, and the
// contents of its files.
func (s *spec) id(contents []cluster.File, frames int) string {
	nowhere := *s
	_ = nowhere.mapFiles(func(_, name string) (string, error) { return filepath.Base(name), nil })
	return cluster.JobID([]byte(sumOf([]any{nowhere.Animation, s.Text, s.Output, contents})), frames)
}

// job returns the film as a job; its specification is set when it is complete.
func (f *Film) job() cluster.Job {
	return cluster.Job{
		Name: f.Animation.Picture.Meshes[0].File, Frames: f.Animation.Full().Frames,
		Tries: cmp.Or(f.Tries, cluster.DefaultTries), Lease: cmp.Or(f.Lease, cluster.DefaultLease), Timeout: f.Timeout, Priority: f.Priority,
	}
}

// Of returns the names of the pictures of a job and their folder, on the submitter's machine.
func PicturesOf(job cluster.Job) (names *framename.Names, folder string, err error) {
	s, err := readSpec(job)
	if err != nil {
		return nil, "", err
	}
	if names, err = s.names(); err != nil {
		return nil, "", err
	}
	return names, s.Pictures, nil
}

// Describe is the first of two lines that a program tells nodes which it starts: what is known of a film before its mesh
// is read, see Node.OpenEarly. d says how the program draws.
func (f *Film) Describe(d *recipe.Drawer) ([]byte, error) {
	if err := f.Validate(); err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: err}
	}
	s, err := f.newSpec(d)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}
