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
)

// A Cache stores the files of films that a node downloaded from the server. Each set of files has a folder named after
// its hash.
type Cache struct {
	// Dir is the folder; empty: lockstep/films in the user's cache folder.
	Dir string
	// Limit is the size of all files, in bytes; 0: DefaultCache.
	Limit int64
}

const (
	// DefaultCache is the default of Cache.Limit, in bytes.
	DefaultCache = 16 << 30
	// partSuffix is the end of the names of incomplete folders. An incomplete folder of another process is removed
	// after partExpiry.
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

// fetch returns the folder with the files of a job. It downloads the files if they are not in the cache.
func (c *Cache) fetch(ctx context.Context, conn *cluster.Cluster, job cluster.Job) (string, error) {
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
	if err := c.evict(size); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(c.folder(), name+".*"+partSuffix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	for i := range job.Files {
		if err := fetchFile(ctx, conn, job, &job.Files[i], part); err != nil {
			return "", err
		}
	}
	if err := os.Rename(part, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, e := os.Stat(folder); e != nil { // no error if another process has made the folder meanwhile
			return "", err
		}
	}
	return folder, nil
}

// renewSet notes that a set of files is in use, so that evict removes others first. Films of clips call it for each
// frame, because they open their files again and again, perhaps for days.
func renewSet(folder string) {
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // the time only decides which set is removed first
}

// nameFiles returns the name of a set of files and their total size. The name is a hash of the names and contents of
// the files. It returns an error if a name would lie outside the folder of the set.
func nameFiles(files []cluster.File) (name string, size int64, err error) {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) {
			return "", 0, fmt.Errorf("the film has a file %q", f.Name)
		}
		if f.Size < 0 {
			return "", 0, fmt.Errorf("the film's file %q is of %d bytes", f.Name, f.Size)
		}
		size += f.Size
	}
	text, err := json.Marshal(files)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), size, err
}

// uploadTimeout is how long a node waits for the submitter to upload a file.
const uploadTimeout = 2 * time.Minute

// fetchFile downloads a file, after asking the submitter to upload it if the server lacks it.
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

// setName matches the names of sets, complete or not.
var setName = regexp.MustCompile(`^[0-9a-f]{32}(\.[^/]*\.part)?$`)

// evict removes the sets that have not been used for the longest time until `size` more bytes fit into the limit. A
// process that has one of their files open can go on reading it. A film of a clip whose files are removed is opened
// again, see cluster.ErrStale.
func (c *Cache) evict(size int64) error {
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
		if err != nil || !info.IsDir() || !setName.MatchString(e.Name()) { // not made by this cache
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
		if err := os.RemoveAll(s.name); err != nil {
			return err
		}
		total -= s.size
	}
	return nil
}

// folderBytes returns the total size of the files in a folder.
func folderBytes(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
