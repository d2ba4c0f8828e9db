package scenes

import (
	"io"
	"io/fs"
	"os"
)

// ReadOptions controls how a mesh is read. The zero value reads leniently on
// all cores, without limits.
type ReadOptions struct {
	// Strict turns the first warning into an error.
	Strict bool
	// Name is the name of the input in errors. Default: the path of the file, or "input" if there is none.
	Name string
	// Format is empty or one of load.Names. If it is set, package load reads every input in this format, whatever the
	// contents are. A Read function for a single format, such as stl.Read, then reads every input in that format.
	Format string
	// Workers is the number of goroutines that read and decode a file, if the format and the kind of input allow
	// several. Default: GOMAXPROCS.
	Workers int
	// MaxTriangles is the largest number of triangles that a mesh may have. MaxMemory is the largest number of bytes
	// that the reader may hold at once. These are the bytes of the mesh and of everything that grows with the mesh.
	// Buffers below a megabyte do not count. The reader checks both limits before it allocates memory. If the size of
	// the mesh is unknown, it checks the limits as the mesh grows. The error is a *LimitError. Default: no limit.
	MaxTriangles, MaxMemory int64
	// Flat leaves out Mesh.Attributes. Pictures with flat shading need only the corners and one colour per triangle.
	Flat bool
	// Pose, if not nil, is the moment of an animation at which the mesh is read, see Report.Clips. The mesh is read at
	// rest if Pose is nil, or if the file does not have the clip.
	Pose *Pose
	// PointSize, if not nil, returns the diameter of drawn points. Its arguments are a sample of the points and the up
	// axis of the file. If it is nil, or its result is not a positive length, points are as large as the distance
	// between neighbours.
	PointSize func(some [][3]float64, up Axis) float64
	// KeepPoints, if positive, is a number of points. A cloud with more points is read into Mesh.Points instead of
	// being drawn as octahedra. The mesh then has no triangles and no attributes. A cloud is a file with points and
	// nothing else.
	KeepPoints int
	// Beside holds the other files that a mesh may name, such as files of materials. Default: the folder of the mesh.
	// If the mesh has no folder, other files are not read.
	Beside fs.FS
	// Open, if not nil, is used in place of os.Open to open mesh files.
	Open func(path string) (File, error)
	// Progress, if not nil, is called from time to time. Its arguments are the number of bytes read so far and the size
	// of the input, or -1 if that is unknown. Calls may come from any goroutine, but never two at once, and bytesDone
	// never decreases.
	Progress func(bytesDone, bytesTotal int64)
}

// A File is an open mesh file. An *os.File is one.
type File interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// OpenFile opens the mesh file at path. It calls o.Open if that is set, and os.Open otherwise.
func (o *ReadOptions) OpenFile(path string) (File, error) {
	if o.Open != nil {
		return o.Open(path)
	}
	f, err := os.Open(path)
	if err != nil { // f is not returned, because a nil *os.File would be a File that is not nil
		return nil, err
	}
	return f, nil
}

// StatFile returns the size and the other properties of the mesh file at path.
func (o *ReadOptions) StatFile(path string) (fs.FileInfo, error) {
	if o.Open == nil {
		return os.Stat(path)
	}
	f, err := o.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// A Report describes what a reader found in a file.
type Report struct {
	Format string // name of the format, a constant of the package that read the file
	Bytes  int64  // bytes of input that were read
	// Packing is "gzip", "zstd" or "zip" if the input was packed, and empty otherwise. Bytes counts packed bytes.
	Packing string

	Triangles int // number of triangles in the mesh, including BadTriangles
	// BadTriangles counts triangles with a NaN or infinite coordinate. They stay in the mesh, so that triangles have
	// the same numbers as in the file. A renderer drops them.
	BadTriangles int
	// Points is the number of points of a cloud, whether they are drawn as octahedra or stored in Mesh.Points. It is 0
	// for all other meshes.
	Points int
	// Bounds is the box of all finite vertices, relative to the origin of the mesh; empty if no vertex is finite.
	Bounds Box
	// Clips are the animations in the file. Only the reader of glTF fills them in.
	Clips []Clip
	// Warnings holds one line for each damage, with its place in the file. At most format.MaxAlike lines report damage
	// of the same kind, and one more line counts the rest of this kind. There are at most format.MaxWarnings lines;
	// then the last line states how many are missing.
	Warnings []string
}
