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
	// Name names the input in errors. Default: the path of the file, or "input" if there is none.
	Name string
	// Format is empty or one of load.Names. If it is not empty, package load uses this format, whatever the contents
	// are. The Read functions of other packages then use the first of their own formats.
	Format string
	// Workers is the number of goroutines that read and decode a file, if its format allows it. Any other input is read
	// by one goroutine. Default: GOMAXPROCS.
	Workers int
	// MaxTriangles is the largest number of triangles that a mesh may have. MaxMemory is the largest number of bytes
	// that the reader may hold at once: the mesh, and everything that grows with it. The reader checks both before it
	// allocates memory, and again while a mesh of unknown size grows; the error is a *LimitError. Buffers below a
	// megabyte do not count. Default: no limit.
	MaxTriangles, MaxMemory int64
	// Flat leaves out Mesh.Attributes. Flat pictures only need the corners and one colour per triangle.
	Flat bool
	// Pose, if not nil, selects the moment at which an animated mesh is read, see Report.Clips. If Pose is nil, or the
	// file does not have the clip, the mesh is read at rest.
	Pose *Pose
	// PointSize, if not nil, returns the diameter of drawn points. Its arguments are a sample of the points and the up
	// axis of the file. If the result is not a positive length, or PointSize is nil, points are as large as the
	// distance between neighbours.
	PointSize func(some [][3]float64, up Axis) float64
	// KeepPoints, if above 0, is the number of points above which a cloud is kept as Mesh.Points instead of octahedra. The
	// mesh then has no triangles and no attributes. Clouds are files that have points and nothing else.
	KeepPoints int
	// Beside holds other files that a mesh may name, such as files of materials. Default: the folder of the mesh. If
	// the mesh has no folder, no such files are read.
	Beside fs.FS
	// Open, if not nil, opens the mesh file of a path in place of os.Open.
	Open func(path string) (File, error)
	// If Progress is not nil, it is called now and then. Its arguments are the number of bytes read so far and the size
	// of the input, or -1 for an unknown size. Any goroutine of the reader may call it, but never two at once, and
	// bytesDone never decreases.
	Progress func(bytesDone, bytesTotal int64)
}

// A File is an open mesh file. An *os.File is one.
type File interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// OpenFile opens the mesh file of a path.
func (o *ReadOptions) OpenFile(path string) (File, error) {
	if o.Open != nil {
		return o.Open(path)
	}
	f, err := os.Open(path)
	if err != nil { // not f, which would be a File that is not nil
		return nil, err
	}
	return f, nil
}

// StatFile describes the mesh file of a path.
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

// A Report says what a reader found.
type Report struct {
	Format string // name of the format; a constant of the package that read it
	Bytes  int64  // bytes of input that were read
	// Packing is how the input was packed: "gzip", "zstd" or "zip". It is empty if the input was not packed. Otherwise
	// Bytes counts packed bytes.
	Packing string

	Triangles int // number of triangles in the mesh, including bad ones
	// BadTriangles counts triangles with a NaN or infinite coordinate. They
	// stay in the mesh, so that indices agree with the file; a renderer drops
	// them.
	BadTriangles int
	// Points is the number of points of a cloud, whether they are octahedra or were kept, see ReadOptions.KeepPoints. It
	// is 0 for all other meshes.
	Points int
	// Bounds is the box of all finite vertices, relative to the origin of the mesh; empty if no vertex is finite.
	Bounds Box
	// Clips are the animations in the file. Only the reader of glTF fills them in.
	Clips []Clip
	// Warnings holds one line for each damage, with its place in the file. At most format.MaxAlike lines report damage
	// of the same kind, and one more line counts the rest of that kind. If there are more than format.MaxWarnings
	// lines, the last line says how many are not listed.
	Warnings []string
}
