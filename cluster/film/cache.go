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

// A Cache keeps the files of films that came by way of a server: a folder for each set
// of files, named by their hash.
type Cache struct {
	Dir   string // "": the user's
	Limit int64  // bytes; 0: DefaultCache
}

const (
	// DefaultCache is how much a node keeps by default, in bytes.
	DefaultCache = 16 << 30
	// partSuffix is that of folders which are not complete. Those of other processes are left
	// alone while they grow.
	partSuffix = ".part"
	partExpiry = time.Hour
)

// folder returns where films' files are kept.
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

// fetch returns the folder that holds the files of a job, which it downloads where they are
// not here yet.
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
		now := time.Now()
		_ = os.Chtimes(folder, now, now) // only its place among those that are removed depends on it
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
		if _, e := os.Stat(folder); e != nil { // not another process was first
			return "", err
		}
	}
	return folder, nil
}

// nameFiles returns a name for a set of files by their contents, and their size. Files that
// would lie outside the folder of the set are an error.
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

// waitFiles bounds how long a node waits for a part of the files to arrive at the server.
const uploadTimeout = 2 * time.Minute

// fetchFile downloads a file. Its submitter sends it when it is asked to.
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

// download writes a file that is on the server.
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

// ownSet matches the names of folders of nameFiles, and of those that are not complete.
var setName = regexp.MustCompile(`^[0-9a-f]{32}(\.[^/]*\.part)?$`)

// makeRoom removes the folders that were used longest ago until there is room for size
// bytes more. A process that has a mesh open keeps it.
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
		if err != nil || !info.IsDir() || !setName.MatchString(e.Name()) { // what else is in the folder is not ours
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

// folderBytes returns the size of the files in a folder.
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
