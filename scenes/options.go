package scenes

import "io/fs"

// ReadOptions controls how a mesh is read. The zero value reads leniently on
// all cores, without limits.
type ReadOptions struct {
	// Strict refuses what would be a warning.
	Strict bool
	// Name stands for the input in errors. Default: the path where there is
	// one, else "input".
	Name string
	// Format, if not empty, is a name of the format that package load takes whatever
	// the contents say, one of load.Names. Other functions that read take the first of
	// their formats then.
	Format string
	// Workers is the number of goroutines that read and decode a file whose
	// format allows it; other inputs are read by one. Default: GOMAXPROCS.
	Workers int
	// MaxTriangles is the largest number of triangles that a mesh may have,
	// MaxMemory the largest number of bytes that its reader may hold while it
	// reads: those of the mesh, and of what grows with it. Both are looked at
	// before memory is allocated, and again while a mesh of unknown size grows;
	// the error is a *LimitError. Buffers below a megabyte do not count.
	// Default: no limit.
	MaxTriangles, MaxMemory int64
	// Flat leaves out Mesh.Attributes: flat pictures need corners and one colour a
	// triangle alone.
	Flat bool
	// Pose, if not nil, is the time at which a mesh is read that its file animates, see Report.Clips; a file without
	// such a clip is read as it stands. Default: as it stands.
	Pose *Pose
	// PointSize, if not nil, returns the diameter of points, from some of them and the up axis of the file; 0, and what
	// is no length, is the default: as large as neighbours are far.
	PointSize func(some [][3]float64, up Axis) float64
	// Beside is where files are looked for that a mesh names, such as those of
	// materials. Default: the folder of the mesh where there is one, and else
	// nowhere.
	Beside fs.FS
	// Progress, if not nil, is called now and then with the bytes read so far
	// and the bytes of the whole input, -1 where that is unknown. Calls come
	// from any goroutine of the reader, but never two at once, and bytesDone
	// never falls.
	Progress func(bytesDone, bytesTotal int64)
}

// A Report says what a reader found.
type Report struct {
	Format string // of the file, a constant of the package that read it
	Bytes  int64  // bytes of input, as far as they were read
	// Packing is how the input was packed: "gzip", "zstd" or "zip"; empty if it was
	// not. Bytes are the packed ones then.
	Packing string

	Triangles int // triangles delivered, bad ones among them
	// BadTriangles counts triangles with a NaN or infinite coordinate. They
	// stay in the mesh, so that indices agree with the file; a renderer drops
	// them.
	BadTriangles int
	// Bounds is the box of all finite vertices, relative to the origin of the
	// mesh; empty if there are none.
	Bounds Box
	// Clips are the animations that the file has, of formats whose readers know them: glTF.
	Clips []Clip
	// Warnings holds one line for each damage, with its place in the file. Of one kind there are
	// format.MaxAlike, and a line that counts the others behind the last; the last line of all sums up when
	// there are more than format.MaxWarnings.
	Warnings []string
}
