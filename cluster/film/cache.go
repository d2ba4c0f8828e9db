package film

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film/internal/ranged"
	"lockstep/scenes"
)

// A Cache stores the files of films that this node downloaded from the server. The files of one film form a set. Each
// set has a folder named after the set's hash.
type Cache struct {
	// Dir is the folder of the cache. If it is empty, the cache is lockstep/films in the user's cache folder.
	Dir string
	// Limit is the largest size of all files together, in bytes. 0 means DefaultCache.
	Limit int64
}

const (
	// DefaultCache is the default of Cache.Limit, in bytes.
	DefaultCache = 16 << 30
	// partSuffix is the end of the names of incomplete folders. If another process left such a folder behind, it is
	// removed after partExpiry.
	partSuffix = ".part"
	partExpiry = time.Hour
)

// folder returns the folder of the cache.
func (c *Cache) folder() string {
	if c.Dir != "" {
		return c.Dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "lockstep", "films")
}

func (c *Cache) limit() int64 { return cmp.Or(c.Limit, DefaultCache) }

// fetchSet returns the folder with the files of a job. It downloads the files that the cache lacks, except ranged files
// (see cluster.File.Ranged), whose chunks are fetched as they are read.
func (c *Cache) fetchSet(ctx context.Context, conn *cluster.Cluster, job cluster.Job) (string, error) {
	name, size, err := nameFiles(job.Files)
	if err != nil {
		return "", err
	}
	if size > c.limit() {
		return "", fmt.Errorf("the film's files take %d bytes, and a node keeps %d", size, c.limit())
	}
	folder := filepath.Join(c.folder(), name)
	if _, err := os.Stat(folder); err == nil {
		renewSet(folder)
		return folder, nil
	}
	if err := os.MkdirAll(c.folder(), 0o700); err != nil {
		return "", err
	}
	if err := c.evict(size, ""); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(c.folder(), name+".*"+partSuffix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	for i := range job.Files {
		if job.Files[i].Ranged() {
			continue
		}
		if err := fetchFile(ctx, conn, job, &job.Files[i], part); err != nil {
			return "", err
		}
	}
	if err := os.Rename(part, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, e := os.Stat(folder); e != nil { // another process may have made the folder meanwhile, which is no error
			return "", err
		}
	}
	return folder, nil
}

// renewSet notes that a set of files is in use, so that evict removes other sets first. It is called for each frame of
// an animated mesh, because the files of such a mesh are opened again for each frame.
func renewSet(folder string) {
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // an error is ignored: the time only decides which set is removed first
}

// nameFiles returns the name of a set of files: a hash of their names and contents. It also returns the total size of
// the files that are downloaded as a whole. It returns an error if a file's name would lie outside the set's folder.
func nameFiles(files []cluster.File) (name string, size int64, err error) {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) {
			return "", 0, fmt.Errorf("the film has a file %q", f.Name)
		}
		if f.Size < 0 {
			return "", 0, fmt.Errorf("the film's file %q is of %d bytes", f.Name, f.Size)
		}
		if !f.Ranged() {
			size += f.Size
		}
	}
	text, err := json.Marshal(files)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), size, err
}

// uploadTimeout is how long a node waits for the submitter to upload a file.
const uploadTimeout = 2 * time.Minute

// fetchFile downloads a file. If the server lacks it, fetchFile first asks the submitter to upload it.
func fetchFile(ctx context.Context, conn *cluster.Cluster, job cluster.Job, f *cluster.File, folder string) error {
	name := filepath.Join(folder, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	for end := time.Now().Add(uploadTimeout); ; {
		err := cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error {
			missing, err := conn.Missing(ctx, f)
			if err == nil && missing {
				err = errors.Join(cluster.ErrMissing, conn.RequestFiles(ctx, job))
			}
			return err
		})
		if err == nil {
			err = download(ctx, conn, f, name)
		}
		if !errors.Is(err, cluster.ErrMissing) || time.Now().After(end) {
			return err
		}
	}
}

// download writes a file from the server's store to disk.
func download(ctx context.Context, conn *cluster.Cluster, f *cluster.File, name string) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := conn.Download(ctx, f, out); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	return out.Close()
}

// A fileSet holds the opened files of one job. They are files of the cache. A nil *fileSet has no files.
type fileSet struct {
	folder string
	ranged map[string]*ranged.File // files whose chunks are fetched as they are read, by path
}

// openSet opens the files of a job. It downloads the files as a whole, except ranged files (see cluster.File.Ranged).
// When ranged files are read, the parameter `fetch` fetches their chunks.
//
// The set `earlier` is the one that was opened last, or nil. If a chunk of its files could not be read, openSet reads
// the chunk again, and returns an error if that fails. So the node draws no frame until the chunk can be read.
func (c *Cache) openSet(ctx context.Context, conn *cluster.Cluster, job cluster.Job, fetch ranged.Fetcher, earlier *fileSet) (*fileSet, error) {
	folder, err := c.fetchSet(ctx, conn, job)
	if err != nil {
		return nil, err
	}
	s := &fileSet{folder: folder, ranged: map[string]*ranged.File{}}
	for _, f := range job.Files {
		if !f.Ranged() {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		opened, err := ranged.Open(ctx, f, ranged.Options{Path: path, Fetch: fetch, Room: func(bytes int64) error {
			renewSet(folder)
			return c.evict(bytes, folder)
		}})
		if err != nil {
			s.close()
			return nil, err
		}
		s.ranged[path] = opened
		if earlier == nil || earlier.ranged[path] == nil || earlier.ranged[path].Failed() == nil {
			continue
		}
		if err := opened.FetchChunk(earlier.ranged[path].Failed().Chunk); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// open opens a file of the set for reading a mesh.
func (s *fileSet) open(path string) (scenes.File, error) {
	if f := s.ranged[path]; f != nil {
		return f.Reader(), nil
	}
	return os.Open(path)
}

// setContext sets the context of later reads, and notes that the set is in use.
func (s *fileSet) setContext(ctx context.Context) {
	if s == nil || len(s.ranged) == 0 {
		return
	}
	renewSet(s.folder)
	for _, f := range s.ranged {
		f.SetContext(ctx)
	}
}

// readError returns an error if a file could not be read, for example because the server cannot be reached. Pictures of
// meshes in that file are incomplete. The error wraps cluster.ErrStale: neither the mesh nor the frame is at fault, and
// reading may succeed when the files are opened again.
func (s *fileSet) readError() error {
	if s == nil {
		return nil
	}
	for _, f := range s.ranged {
		if x := f.Failed(); x != nil {
			return fmt.Errorf("%w: %w", cluster.ErrStale, x.Err)
		}
	}
	return nil
}

// fetchAll downloads all chunks that are missing.
func (s *fileSet) fetchAll() error {
	for _, f := range s.ranged {
		if err := f.FetchAll(); err != nil {
			return err
		}
	}
	return nil
}

// close closes the files.
func (s *fileSet) close() {
	if s == nil {
		return
	}
	for _, f := range s.ranged {
		f.Close()
	}
}

// A chunkFetcher fetches chunks of the files of a job. If the server lacks a file, it asks the submitter to upload it.
type chunkFetcher struct {
	conn *cluster.Cluster
	job  cluster.Job
}

// ChunkSums implements ranged.Fetcher.
func (c chunkFetcher) ChunkSums(ctx context.Context, p cluster.Part) (sums []byte, err error) {
	err = c.untilUploaded(ctx, p, func() (err error) {
		sums, err = c.conn.ChunkSums(ctx, p)
		return err
	})
	return sums, err
}

// Chunk implements ranged.Fetcher.
func (c chunkFetcher) Chunk(ctx context.Context, p cluster.Part, i int64) (chunk []byte, err error) {
	err = c.untilUploaded(ctx, p, func() (err error) {
		chunk, err = c.conn.Chunk(ctx, p, i)
		return err
	})
	return chunk, err
}

// Damaged implements ranged.Fetcher.
func (c chunkFetcher) Damaged(ctx context.Context, p cluster.Part) {
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	_ = c.conn.RequestRepair(try, p) // an error is ignored: the chunk is fetched again, which repeats the request
}

// untilUploaded calls get until the server has the requested data of a part, or uploadTimeout has passed.
func (c chunkFetcher) untilUploaded(ctx context.Context, p cluster.Part, get func() error) error {
	for end := time.Now().Add(uploadTimeout); ; {
		err := get()
		if !errors.Is(err, cluster.ErrMissing) || time.Now().After(end) {
			return err
		}
		try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
		_ = c.conn.RequestPart(try, c.job, p) // an error is ignored: the request is repeated after a pause
		cancel()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// setName matches the names of the folders of sets, complete or not.
var setName = regexp.MustCompile(`^[0-9a-f]{32}(\.[^/]*\.part)?$`)

// evict removes sets of files until `size` more bytes fit into the limit. It begins with the set that was used least
// recently, and never removes the folder `keep`. It returns an error if the bytes do not fit.
//
// A process that has a removed file open can go on reading it. A film of an animated mesh, whose files are opened again
// for each frame, is opened anew if they were removed; see cluster.ErrStale.
func (c *Cache) evict(size int64, keep string) error {
	type set struct {
		name string
		used time.Time
		size int64
	}
	entries, err := os.ReadDir(c.folder())
	if err != nil {
		return err
	}
	var sets []set
	total := size
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.IsDir() || !setName.MatchString(e.Name()) { // this cache did not make the entry
			continue
		}
		s := set{filepath.Join(c.folder(), e.Name()), info.ModTime(), folderBytes(filepath.Join(c.folder(), e.Name()))}
		if strings.HasSuffix(s.name, partSuffix) {
			if time.Since(s.used) > partExpiry {
				os.RemoveAll(s.name)
			}
			continue
		}
		sets, total = append(sets, s), total+s.size
	}
	slices.SortFunc(sets, func(a, b set) int { return a.used.Compare(b.used) })
	for _, s := range sets {
		if total <= c.limit() {
			break
		}
		if s.name == keep {
			continue
		}
		if err := os.RemoveAll(s.name); err != nil {
			return err
		}
		total -= s.size
	}
	if total > c.limit() {
		return fmt.Errorf("the film's files take more than %d bytes, which is all that a node keeps", c.limit())
	}
	return nil
}

// folderBytes returns how many bytes the files in a folder take on the disk.
func folderBytes(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += ranged.Allocated(info)
		}
		return nil
	})
	return size
}
