package report

import (
	"os"

	"lockstep/lb/loads"
)

// ReadLoads reads a recording of loads. Errors are *[InputError].
func ReadLoads(name Path) (*loads.Recording, error) {
	f, err := os.Open(string(name))
	if err != nil {
		return nil, NewInputError(string(name), err)
	}
	defer f.Close()
	recording, err := loads.Read(f)
	if err != nil {
		return nil, NewInputError(string(name), err)
	}
	return recording, nil
}
