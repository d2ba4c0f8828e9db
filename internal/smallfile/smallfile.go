package smallfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Largest sizes in bytes of files that are read as a whole. Usual files are far smaller.
const (
	MaxText    = 64 << 10 // keys, certificates, addresses and random words
	MaxPicture = 1 << 30  // a picture of a film
)

// Read reads a whole file of at most the given number of bytes. The file may be a pipe, for example the output of a
// command in a shell. Devices and other kinds of files are refused, because reading them might never end. Errors of
// package os name the file. The other errors do not.
func Read(name string, most int64) ([]byte, error) {
	text, err := ReadPrefix(name, most+1)
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("is larger than %d bytes", most)
	}
	return text, err
}

// ReadPrefix is like Read, but reads only the given number of bytes from the beginning of a file. The file may be
// longer.
func ReadPrefix(name string, most int64) ([]byte, error) {
	if name == os.DevNull {
		return nil, nil
	}
	// With openNonblock, opening a pipe does not wait for a writer. Reading a pipe without a writer returns no data.
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
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
	// Without the additional bytes.MinRead bytes, ReadFrom would enlarge the buffer at the end of the file.
	text := bytes.NewBuffer(make([]byte, 0, min(most, info.Size())+bytes.MinRead))
	_, err = text.ReadFrom(io.LimitReader(f, most))
	if err == nil && pipe && text.Len() == 0 {
		err = ErrEmptyPipe
	}
	return text.Bytes(), err
}

// TrimBOM removes a byte-order mark from the beginning of a text. Editors on Windows write the mark before UTF-8.
func TrimBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Causes of errors for names that are not regular files or pipes.
var (
	ErrNoFile    = errors.New("is not a file")
	ErrEmptyPipe = errors.New("nothing comes out of the pipe")
)
