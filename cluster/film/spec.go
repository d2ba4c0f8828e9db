package film

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/lb"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A spec is the part of a job that package cluster stores without reading it. It holds everything that a node needs to
// draw the film. It also holds data by which the node checks that it draws the same pictures.
type spec struct {
	Animation recipe.Animation `json:"animation"` // names of files are absolute paths of the submitter's machine
	Output    recipe.Output    `json:"output"`    // Output.File is an absolute path too
	Drawing   drawing          `json:"drawing"`

	// Program is the program's name and version in the metadata of pictures.
	Program string `json:"program"`
	// Pixels is the submitter's Fingerprint. If it is empty, fingerprints are not compared.
	Pixels string `json:"pixels,omitempty"`
	// Text is the metadata of the first and last picture. It is the same on every node with the same mesh and recipe.
	Text string `json:"text,omitempty"`
	// Moving describes how the mesh of an animated file moves. It is nil if the mesh does not move.
	Moving *moving `json:"moving,omitempty"`
	// State is the fingerprint of the files, see sourceState.
	State string `json:"state,omitempty"`

	Files []fileLocation `json:"files,omitempty"` // paths and times of the job's files
	// Sources holds the names and hashes of the files if the job has no files, because only local nodes draw.
	Sources []cluster.File `json:"sources,omitempty"`
	// Contents is the hash of the contents of the mesh's files. It is part of the metadata of pictures.
	Contents string `json:"contents,omitempty"`
	// Pictures is the folder of the pictures.
	Pictures string `json:"pictures"`
	// Token is a random word in a hidden file inside Pictures. A machine that finds the word there shares the folder;
	// see isRemote.
	Token string `json:"token,omitempty"`
}

// drawing holds the fields of the submitter's recipe.Drawer that nodes use too.
type drawing struct {
	ISA          string `json:"isa,omitempty"`
	Balance      string `json:"balance,omitempty"`
	Strict       bool   `json:"strict,omitempty"`
	MaxTriangles int64  `json:"maxTriangles,omitempty"`
	MaxMemory    int64  `json:"maxMemory,omitempty"`
}

// drawingOf returns the fields of d that nodes use too.
func drawingOf(d *recipe.Drawer) drawing {
	return drawing{d.ISA, d.Balance.String(), d.Read.Strict, d.Read.MaxTriangles, d.Read.MaxMemory}
}

// drawer returns a recipe.Drawer with the fields of d. Its other fields are zero.
func (d *drawing) drawer() (recipe.Drawer, error) {
	r := recipe.Drawer{ISA: d.ISA, Read: scenes.ReadOptions{Strict: d.Strict, MaxTriangles: d.MaxTriangles, MaxMemory: d.MaxMemory}}
	if d.Balance == "" {
		return r, nil
	}
	err := (*lb.Policy)(&r.Balance).UnmarshalText([]byte(d.Balance))
	return r, err
}

// newSpec returns the part of the specification that is known before the mesh is read.
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
		// filepath.Abs would remove a separator at the end.
		s.Output.File = here + string(filepath.Separator) + f.Output.File
	}
	return s, nil
}

// mapFiles replaces each file name of a mesh by the result of mapName. The argument folder is the mesh's own folder
// among the files of a film.
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

// readSpec decodes the specification of a job.
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

// id returns the job's ID, a hash. It depends on the recipe, the metadata of pictures, the output, and the contents of
// the files, but not on the folders of the files.
func (s *spec) id(contents []cluster.File, frames int) string {
	withoutFolders := *s
	_ = withoutFolders.mapFiles(func(_, name string) (string, error) { return filepath.Base(name), nil })
	return cluster.JobID([]byte(hashJSON([]any{withoutFolders.Animation, s.Text, s.Output, contents})), frames)
}

// newJob returns the film as a job. Its ID, files and specification are still missing.
func (f *Film) newJob() cluster.Job {
	return cluster.Job{
		Name: f.Animation.Picture.Meshes[0].File, Frames: f.Animation.Full().Frames,
		Tries: cmp.Or(f.Tries, cluster.DefaultTries), Lease: cmp.Or(f.Lease, cluster.DefaultLease), Timeout: f.Timeout, Priority: f.Priority,
	}
}

// PicturesOf returns the names of a job's pictures, and their folder on the submitter's machine.
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

// Describe returns the first line that a program sends to its own nodes, see Node.OpenEarly. The line holds the part of
// the specification that is known before the mesh is read. d is the program's drawer.
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
