package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lockstep/lb"
)

// storedCosts is the file that holds the cost models of one machine and one
// version of the kernels.
type storedCosts struct {
	Machine string                   `json:"machine"`
	Kernel  string                   `json:"kernel"`
	Loops   map[string]*lb.CostModel `json:"loops"`
}

// CostsDir returns the directory in which cost models are kept, inside the
// user's cache directory.
func CostsDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("bench: where to keep cost models: %w", err)
	}
	return filepath.Join(cache, "lockstep"), nil
}

// costsFile returns the name of a file: any two strings may name a machine and a
// version, so that they enter as a hash.
func costsFile(dir, machine, kernel string) string {
	sum := sha256.Sum256([]byte(machine + "\x00" + kernel))
	return filepath.Join(dir, fmt.Sprintf("costs-%x.json", sum[:8]))
}

// SaveCosts stores the cost model of every loop, by the loop's name, for a
// machine and a version of its kernels. It makes dir where it is missing and
// replaces what was stored in one step.
func SaveCosts(dir, machine, kernel string, loops map[string]*lb.CostModel) error {
	text, err := json.MarshalIndent(storedCosts{machine, kernel, loops}, "", "  ")
	if err != nil {
		return fmt.Errorf("bench: cost models: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("bench: cost models: %w", err)
	}
	if err := replaceFile(costsFile(dir, machine, kernel), bytes.NewBuffer(append(text, '\n'))); err != nil {
		return fmt.Errorf("bench: cost models: %w", err)
	}
	return nil
}

// maxCostsFile is far more than the models of a few loops take, in bytes.
const maxCostsFile = 1 << 20

// LoadCosts returns what SaveCosts stored for this machine and this version. The
// error wraps fs.ErrNotExist when there is nothing, and is an *[InputError] when
// the file is damaged; in both cases the costs are to be measured anew.
func LoadCosts(dir, machine, kernel string) (map[string]*lb.CostModel, error) {
	name := costsFile(dir, machine, kernel)
	info, err := os.Stat(name)
	if err == nil && info.Size() > maxCostsFile {
		return nil, &InputError{File: name, Err: fmt.Errorf("%d bytes are too many for cost models", info.Size())}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("bench: cost models: %w", err)
	}
	var stored storedCosts
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, &InputError{File: name, Err: err}
	}
	if stored.Machine != machine || stored.Kernel != kernel { // a collision of hashes
		return nil, fmt.Errorf("bench: %s is for another machine or kernel: %w", name, fs.ErrNotExist)
	}
	for loop, m := range stored.Loops {
		if m == nil {
			return nil, &InputError{File: name, Err: fmt.Errorf("loop %q has no cost model", loop)}
		}
	}
	return stored.Loops, nil
}
