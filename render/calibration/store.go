package calibration

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"lockstep/render/atomicfile"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// CacheEnv is the name of an environment variable. The variable holds the folder in which costs are stored. If it is
// "off", costs are not stored.
const CacheEnv = "LOCKSTEP_CACHE"

// ErrNoCache is returned if the environment variable CacheEnv is "off".
var ErrNoCache = errors.New("calibration: " + CacheEnv + " is off")

// A Store keeps costs in a file, by instruction set. The file is for one machine and one version of the kernels.
// Several processes may use a Store at a time. If two processes save at once, the later one wins.
type Store struct {
	Dir, Machine, Kernel string

	// Files is the set that creates the file. If it is nil, the Store uses a Set of its own.
	Files *atomicfile.Set
	// Measure measures costs. If it is nil, the function Measure of this package is used.
	Measure func(ctx context.Context, set string) (*Costs, error)
}

// maxCalibrations is the number of stored calibrations of an instruction set. The calibration with the largest
// estimate is used, because the cost must not be too low. Each of the first three runs makes one calibration. If the
// first run made all three, it would take three times as long to calibrate.
const maxCalibrations = 3

// storedCosts is the contents of the file. Costs maps an instruction set to all its calibrations.
type storedCosts struct {
	Machine string              `json:"machine"`
	Kernel  string              `json:"kernel"`
	Costs   map[string][]*Costs `json:"costs"`
}

// largest returns a copy of the calibration with the largest estimate. Its First is the largest First of all
// calibrations. If there is no calibration, largest returns nil.
func largest(all []*Costs) *Costs {
	if len(all) == 0 {
		return nil
	}
	c := *slices.MaxFunc(all, func(a, b *Costs) int { return cmp.Compare(a.Model.Estimate(), b.Model.Estimate()) })
	for _, other := range all {
		c.First = max(c.First, other.First)
	}
	return &c
}

// KernelVersion returns the versions of the kernels and of the compiler.
func KernelVersion() string { return scanline.Version + " " + runtime.Version() }

// UserStore returns the store of the user who runs this process. Its folder is the value of the environment variable
// LOCKSTEP_CACHE. Without the variable, the folder is lockstep in the user's cache directory (os.UserCacheDir).
// Machine is the processor, and Kernel is the result of KernelVersion. The error is ErrNoCache if the user has turned
// the store off. Any other error means that the system has no cache directory.
func UserStore() (*Store, error) {
	dir := os.Getenv(CacheEnv)
	switch dir {
	case "off":
		return nil, ErrNoCache
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("calibration: find the folder for costs: %w", err)
		}
		dir = filepath.Join(cache, "lockstep")
	}
	return &Store{Dir: dir, Machine: isa.Processor(), Kernel: KernelVersion()}, nil
}

// File returns the name of the file. It contains a hash of Machine and Kernel, because these may be any strings.
func (s *Store) File() string {
	sum := sha256.Sum256([]byte(s.Machine + "\x00" + s.Kernel))
	return filepath.Join(s.Dir, fmt.Sprintf("costs-%x.json", sum[:8]))
}

// Save stores calibrations by instruction set. It creates the folder if it is missing. It replaces all stored
// calibrations atomically.
func (s *Store) Save(costs map[string][]*Costs) error {
	text, err := json.MarshalIndent(storedCosts{s.Machine, s.Kernel, costs}, "", "  ")
	if err == nil {
		err = s.replace(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("calibration: store costs: %w", err)
	}
	return nil
}

// replace writes text to a temporary file and renames it to the store's file.
func (s *Store) replace(text []byte) error {
	f, err := s.create(text)
	if err != nil {
		return err
	}
	return f.Commit()
}

// create writes text to a temporary file in the folder of the store's file. It creates the folder if it is missing.
func (s *Store) create(text []byte) (*atomicfile.File, error) {
	files := s.Files
	if files == nil {
		files = new(atomicfile.Set)
	}
	if err := files.MakeFolder(s.Dir); err != nil {
		return nil, err
	}
	f, err := files.Create(s.File())
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(text); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// maxCostsFile is an upper limit, in bytes, of the size of a file that Load reads.
const maxCostsFile = 1 << 20

// ErrDamaged is wrapped by errors about a file that does not contain costs.
var ErrDamaged = errors.New("no stored costs")

// Load returns the costs that Save has stored. The error wraps fs.ErrNotExist if nothing is stored, and [ErrDamaged] if
// the file is damaged. In both cases costs should be measured again.
func (s *Store) Load() (map[string][]*Costs, error) {
	name := s.File()
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("calibration: %s: %w: %w", name, ErrDamaged, fmt.Errorf(format, args...))
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("calibration: costs: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxCostsFile: // reading a pipe would never end
		return nil, damaged("%v of %d bytes", info.Mode().Type(), info.Size())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("calibration: costs: %w", err)
	}
	var stored storedCosts
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, damaged("%w", err)
	}
	if stored.Machine != s.Machine || stored.Kernel != s.Kernel { // another machine or kernel has the same hash
		return nil, fmt.Errorf("calibration: %s is for another machine or kernel: %w", name, fs.ErrNotExist)
	}
	for set, all := range stored.Costs {
		if len(all) == 0 || len(all) > maxCalibrations || slices.Contains(all, nil) {
			return nil, damaged("%q has %d calibrations, or empty ones", set, len(all))
		}
	}
	return stored.Costs, nil
}

// Stored returns the costs for level if there are maxCalibrations stored calibrations. Otherwise it returns nil. It
// measures nothing.
func (s *Store) Stored(level isa.Level) *Costs {
	stored, err := s.Load()
	if all := stored[level.String()]; err == nil && len(all) == maxCalibrations {
		return largest(all)
	}
	return nil
}

// Costs returns the stored calibration for level with the largest estimate. If fewer than three calibrations are
// stored, or the file is damaged, Costs calibrates once more and stores the result. This takes some 50 milliseconds,
// and fresh is then true.
//
// If the file cannot be written, Costs does not calibrate, because every run would have to do so again. It then
// returns an error, and costs may be nil.
func (s *Store) Costs(ctx context.Context, level isa.Level) (costs *Costs, fresh bool, err error) {
	return s.costs(ctx, level, false, 1)
}

// AllCosts is like Costs, but makes all missing calibrations, up to three. If renew is true, three new calibrations
// replace the stored calibrations.
func (s *Store) AllCosts(ctx context.Context, level isa.Level, renew bool) (costs *Costs, fresh bool, err error) {
	return s.costs(ctx, level, renew, maxCalibrations)
}

// costs is like Costs, but makes up to `most` calibrations. If renew is true, it ignores the stored calibrations.
func (s *Store) costs(ctx context.Context, level isa.Level, renew bool, most int) (costs *Costs, fresh bool, err error) {
	if ctx == nil {
		return nil, false, errors.New("calibrate: expected a context, not nil")
	}
	stored, err := s.Load()
	if err != nil {
		stored = map[string][]*Costs{}
	}
	all := stored[level.String()]
	if renew {
		all = nil
	}
	if len(all) == maxCalibrations {
		return largest(all), false, nil
	}
	if err := s.checkWritable(); err != nil {
		return largest(all), false, err
	}
	measure := s.Measure
	if measure == nil {
		measure = Measure
	}
	for range min(maxCalibrations-len(all), most) {
		c, err := measure(ctx, level.String())
		if err != nil {
			return largest(all), false, err
		}
		all = append(all, c)
	}
	stored[level.String()] = all
	return largest(all), true, s.Save(stored)
}

// probeBytes is more than the size in bytes of the calibrations of all instruction sets.
const probeBytes = 64 << 10

// checkWritable returns an error if the store's file cannot be written. To find out, it creates a temporary file in the
// same folder. The temporary file is at least as large as the store's file.
func (s *Store) checkWritable() error {
	if info, err := os.Lstat(s.File()); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("calibration: %s: not a regular file", s.File())
	}
	f, err := s.create(make([]byte, probeBytes))
	if err != nil {
		return fmt.Errorf("calibration: store costs: %w", err)
	}
	f.Abort()
	return nil
}

// Observe raises those stored estimates for `level` that are below the cost `measured`, in iterations per polygon.
// Observe counts each raise as an underestimate. It changes nothing if no costs for level are stored, or if another
// process has just stored higher estimates.
func (s *Store) Observe(level isa.Level, measured float64) error {
	stored, err := s.Load()
	if err != nil {
		return err
	}
	all := stored[level.String()]
	if c := largest(all); c == nil || measured <= c.Model.Estimate() {
		return nil
	}
	for _, c := range all {
		c.Model.Observe(measured)
	}
	return s.Save(stored)
}
