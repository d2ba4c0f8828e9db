package smallfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The sizes of files that are read whole, in bytes. What a user or a command writes into them is far smaller.
const (
	Words   = 64 << 10 // keys, certificates, addresses and random words
	Picture = 1 << 30  // of a film
)

// Read reads a file of at most most bytes, or what a pipe has to say, as shells make them of the output
// of commands. Anything else, such as a device, may never end. Errors are those of package os, or have no
// name.
func Read(name string, most int64) ([]byte, error) {
	text, err := Start(name, most+1)
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("is larger than %d bytes", most)
	}
	return text, err
}

// Start is Read of the first bytes of a file that may have more.
func Start(name string, most int64) ([]byte, error) {
	if name == os.DevNull {
		return nil, nil
	}
	// A pipe without a writer has an end at once, where opening it would wait.
	f, err := os.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	pipe := info.Mode()&fs.ModeNamedPipe != 0
	if !info.Mode().IsRegular() && !pipe {
		return nil, ErrNoFile
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err == nil && pipe && len(text) == 0 {
		err = ErrEmptyPipe
	}
	return text, err
}

// WithoutMark returns a text without the byte-order mark that editors of Windows put before UTF-8.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// The causes of what is no file with an end.
var (
	ErrNoFile    = errors.New("is not a file")
	ErrEmptyPipe = errors.New("nothing comes out of the pipe")
)
