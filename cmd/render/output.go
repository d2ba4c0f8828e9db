package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"lockstep/internal/cli"
	"lockstep/render/encode"
	"lockstep/render/recipe"
)

// An outFile is an output that is being written. Commit renames the file to its final name. Abort removes the output
// and does not change an earlier file of this name. After either call, both methods do nothing.
type outFile interface {
	io.Writer
	Commit() error
	Abort()
}

// create creates the file name, see atomicfile.Set.Create. "-" means standard output.
func (a *app) create(name string) (outFile, error) {
	if name != "-" {
		f, err := a.Files.Create(name)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	if term.IsTerminal(int(a.Stdout.Fd())) {
		return nil, cli.Usagef("standard output is a terminal: redirect it or give -o FILE")
	}
	return standardOutput{a.Stdout}, nil
}

// A standardOutput is an outFile that writes to standard output.
type standardOutput struct{ file *os.File }

func (s standardOutput) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	return n, cli.StdoutError(err)
}

func (standardOutput) Commit() error { return nil }
func (standardOutput) Abort()        {}

// isStandardOutput reports whether name refers to standard output.
func isStandardOutput(name string) bool {
	switch name {
	case "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return true
	}
	return false
}

// checkWebP returns an error if a picture is too large for WebP.
func checkWebP(name string, size recipe.Size) error {
	if size.Width > encode.MostWebP || size.Height > encode.MostWebP {
		return cli.Usagef("%s: WebP holds at most %dx%d pixels: expected .png or .tif", name, encode.MostWebP, encode.MostWebP)
	}
	return nil
}

// warnDPI warns if --dpi is given and the file's format cannot state a resolution.
func (a *app) warnDPI(name string, dpi int) {
	if dpi > 0 {
		a.Warn("%s: files of this format state no resolution: --dpi is left out", name)
	}
}

// jpegQuality is the quality of JPEG files. With a lower quality, edges on a light background have visible artefacts.
const jpegQuality = 93
