package calibrate

import (
	"bytes"
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

	"lockstep/bench/report"
	"lockstep/render"
	"lockstep/vp/isa"
)

// CacheEnv names the environment variable that says where costs are kept: a
// folder, or off for nowhere.
const CacheEnv = "LOCKSTEP_CACHE"

// ErrNoCache is why there is no place for costs: the user wants none.
var ErrNoCache = errors.New("bench: " + CacheEnv + " is off")

// A CostStore keeps the costs that were calibrated on a machine, for one version of
// the kernels, in one file: by the name of the instruction set. Several
// processes may use it at a time; the last to save wins.
type CostStore struct {
	Dir, Machine, Kernel string

	// calibrate takes the place of render.Calibrate in tests.
	calibrate func(ctx context.Context, set string) (*render.Costs, error)
}

// calibrations is how many calibrations of an instruction set are kept; of these the
// one with the middle estimate counts. A machine that is busy during one of them
// makes that too high or too low, seldom two. The first three runs calibrate once
// each, so that none of them takes much longer.
const calibrations = 3

// storedCosts is the file: by instruction set, every calibration.
type storedCosts struct {
	Machine string                     `json:"machine"`
	Kernel  string                     `json:"kernel"`
	Costs   map[string][]*render.Costs `json:"costs"`
}

// middle returns the costs with the middle estimate, the higher one of two.
func middle(all []*render.Costs) *render.Costs {
	if len(all) == 0 {
		return nil
	}
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *render.Costs) int {
		return cmp.Compare(a.Model.Estimate(), b.Model.Estimate())
	})
	return sorted[len(sorted)/2]
}

// kernelVersion names what the costs depend on besides the machine.
func kernelVersion() string { return render.KernelVersion + " " + runtime.Version() }

// UserCosts returns the store of the user who runs this process: in the folder
// that the environment variable LOCKSTEP_CACHE names, else in lockstep in the
// user's cache directory (os.UserCacheDir). Machine is the processor, Kernel the
// version of the kernels and of the compiler. The error is ErrNoCache when the
// user wants none, or says why the system names no such directory.
func UserCosts() (*CostStore, error) {
	dir := os.Getenv(CacheEnv)
	switch dir {
	case "off":
		return nil, ErrNoCache
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("bench: where to keep costs: %w", err)
		}
		dir = filepath.Join(cache, "lockstep")
	}
	return &CostStore{Dir: dir, Machine: isa.Processor(), Kernel: kernelVersion()}, nil
}

// File returns the name of the file: any two strings may name a machine and a
// version, so that they enter as a hash.
func (s *CostStore) File() string {
	sum := sha256.Sum256([]byte(s.Machine + "\x00" + s.Kernel))
	return filepath.Join(s.Dir, fmt.Sprintf("costs-%x.json", sum[:8]))
}

// Save stores calibrations by instruction set. It makes the folder where it is missing and
// replaces what was stored in one step. The error is an *[OutputError].
func (s *CostStore) Save(costs map[string][]*render.Costs) error {
	text, err := json.MarshalIndent(storedCosts{s.Machine, s.Kernel, costs}, "", "  ")
	if err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return &report.OutputError{File: s.Dir, Err: err}
	}
	return report.ReplaceFile(s.File(), bytes.NewBuffer(append(text, '\n')))
}

// maxCostsFile is far more than the costs of a few instruction sets take, in
// bytes.
const maxCostsFile = 1 << 20

// Load returns what Save has stored. The error wraps fs.ErrNotExist when there
// is nothing, and is an *[InputError] when the file is damaged; in both cases the
// costs are to be measured anew.
func (s *CostStore) Load() (map[string][]*render.Costs, error) {
	name := s.File()
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("bench: costs: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxCostsFile: // a pipe would never end
		return nil, &report.InputError{File: name, Err: fmt.Errorf("%v of %d bytes is no file of costs", info.Mode().Type(), info.Size())}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("bench: costs: %w", err)
	}
	var stored storedCosts
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, &report.InputError{File: name, Err: err}
	}
	if stored.Machine != s.Machine || stored.Kernel != s.Kernel { // a collision of hashes
		return nil, fmt.Errorf("bench: %s is for another machine or kernel: %w", name, fs.ErrNotExist)
	}
	for set, all := range stored.Costs {
		if len(all) == 0 || len(all) > calibrations || slices.Contains(all, nil) {
			return nil, &report.InputError{File: name, Err: fmt.Errorf("%q has %d calibrations, or empty ones", set, len(all))}
		}
	}
	return stored.Costs, nil
}

// Costs returns the costs of an instruction set: of what is stored the middle
// calibration. Where there are fewer than three, or they are damaged, it calibrates
// once more, which takes some 50 milliseconds, and stores the result: fresh says so. It
// does not calibrate when the file cannot be written, since that would be so every
// time; then there may be no costs.
func (s *CostStore) Costs(ctx context.Context, level isa.Level) (costs *render.Costs, fresh bool, err error) {
	return s.costs(ctx, level, false, 1)
}

// AllCosts is Costs with as many calibrations as it takes for three, or, to renew
// what is stored, with three in its place.
func (s *CostStore) AllCosts(ctx context.Context, level isa.Level, renew bool) (costs *render.Costs, fresh bool, err error) {
	return s.costs(ctx, level, renew, calibrations)
}

// costs calibrates so many times at most.
func (s *CostStore) costs(ctx context.Context, level isa.Level, renew bool, most int) (costs *render.Costs, fresh bool, err error) {
	stored, err := s.Load()
	if err != nil {
		stored = map[string][]*render.Costs{}
	}
	all := stored[level.String()]
	if renew {
		all = nil
	}
	if len(all) == calibrations {
		return middle(all), false, nil
	}
	if err := s.writable(); err != nil {
		return middle(all), false, err
	}
	calibrate := s.calibrate
	if calibrate == nil {
		calibrate = render.Calibrate
	}
	for range min(calibrations-len(all), most) {
		c, err := calibrate(ctx, level.String())
		if err != nil {
			return middle(all), false, err
		}
		all = append(all, c)
	}
	stored[level.String()] = all
	return middle(all), true, s.Save(stored)
}

// storeSize is more than the calibrations of all instruction sets take, in bytes.
const storeSize = 64 << 10

// writable reports why the file cannot be written: it tries another of its size
// beside it.
func (s *CostStore) writable() error {
	if info, err := os.Lstat(s.File()); err == nil && !info.Mode().IsRegular() {
		return &report.OutputError{File: s.File(), Err: errors.New("not a regular file")}
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return &report.OutputError{File: s.Dir, Err: err}
	}
	f, err := os.CreateTemp(s.Dir, ".costs-*")
	if err != nil {
		return &report.OutputError{File: s.Dir, Err: err}
	}
	_, err = f.Write(make([]byte, storeSize))
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return &report.OutputError{File: s.Dir, Err: err}
	}
	return nil
}

// Observe raises the stored estimates of an instruction set to a cost that was
// measured, in iterations a polygon, if it is lower, and counts that. Costs that
// nobody has stored, or another process has just renewed, are left alone.
func (s *CostStore) Observe(level isa.Level, measured float64) error {
	stored, err := s.Load()
	if err != nil {
		return err
	}
	all := stored[level.String()]
	if c := middle(all); c == nil || measured <= c.Model.Estimate() {
		return nil
	}
	for _, c := range all {
		c.Model.Observe(measured)
	}
	return s.Save(stored)
}
