package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

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

// storedCosts is the file.
type storedCosts struct {
	Machine string                   `json:"machine"`
	Kernel  string                   `json:"kernel"`
	Costs   map[string]*render.Costs `json:"costs"`
}

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
	return &CostStore{Dir: dir, Machine: isa.Processor(), Kernel: render.KernelVersion + " " + runtime.Version()}, nil
}

// File returns the name of the file: any two strings may name a machine and a
// version, so that they enter as a hash.
func (s *CostStore) File() string {
	sum := sha256.Sum256([]byte(s.Machine + "\x00" + s.Kernel))
	return filepath.Join(s.Dir, fmt.Sprintf("costs-%x.json", sum[:8]))
}

// Save stores the costs by instruction set. It makes the folder where it is missing and
// replaces what was stored in one step.
func (s *CostStore) Save(costs map[string]*render.Costs) error {
	text, err := json.MarshalIndent(storedCosts{s.Machine, s.Kernel, costs}, "", "  ")
	if err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	if err := replaceFile(s.File(), bytes.NewBuffer(append(text, '\n'))); err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	return nil
}

// maxCostsFile is far more than the costs of a few instruction sets take, in
// bytes.
const maxCostsFile = 1 << 20

// Load returns what Save has stored. The error wraps fs.ErrNotExist when there
// is nothing, and is an *[InputError] when the file is damaged; in both cases the
// costs are to be measured anew.
func (s *CostStore) Load() (map[string]*render.Costs, error) {
	name := s.File()
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("bench: costs: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxCostsFile: // a pipe would never end
		return nil, &InputError{File: name, Err: fmt.Errorf("%v of %d bytes is no file of costs", info.Mode().Type(), info.Size())}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("bench: costs: %w", err)
	}
	var stored storedCosts
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, &InputError{File: name, Err: err}
	}
	if stored.Machine != s.Machine || stored.Kernel != s.Kernel { // a collision of hashes
		return nil, fmt.Errorf("bench: %s is for another machine or kernel: %w", name, fs.ErrNotExist)
	}
	for set, c := range stored.Costs {
		if c == nil {
			return nil, &InputError{File: name, Err: fmt.Errorf("%q has no costs", set)}
		}
	}
	return stored.Costs, nil
}

// Costs returns the stored costs of an instruction set. Where there are none, or
// they are damaged or renew is set, it calibrates, which takes some 50
// milliseconds, and stores the result: fresh says so. It does not calibrate when
// the folder cannot be written, since that would be so every time.
func (s *CostStore) Costs(ctx context.Context, level isa.Level, renew bool) (costs *render.Costs, fresh bool, err error) {
	stored, err := s.Load()
	if costs := stored[level.String()]; costs != nil && err == nil && !renew {
		return costs, false, nil
	}
	if err := s.writable(); err != nil {
		return nil, false, err
	}
	calibrate := s.calibrate
	if calibrate == nil {
		calibrate = render.Calibrate
	}
	if costs, err = calibrate(ctx, level.String()); err != nil {
		return nil, false, err
	}
	if stored == nil {
		stored = map[string]*render.Costs{}
	}
	stored[level.String()] = costs
	return costs, true, s.Save(stored)
}

// writable reports why files cannot be made in the folder.
func (s *CostStore) writable() error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	f, err := os.CreateTemp(s.Dir, ".costs-*")
	if err != nil {
		return fmt.Errorf("bench: costs: %w", err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// Observe raises the stored estimate of an instruction set to a cost that was
// measured, in iterations a polygon, if it is lower, and counts that. Costs that
// nobody has stored, or another process has just renewed, are left alone.
func (s *CostStore) Observe(level isa.Level, measured float64) error {
	stored, err := s.Load()
	if err != nil {
		return err
	}
	costs := stored[level.String()]
	if costs == nil || !costs.Model.Observe(measured) {
		return nil
	}
	return s.Save(stored)
}
