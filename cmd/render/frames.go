package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"lockstep/render/atomicfile"
)

// minDigits is how many digits a frame's number has at least, so that files
// sort by name.
const minDigits = 4

// frameNames makes the names of an animation's pictures, which count from 0.
type frameNames struct {
	output string // as the user gave it
	before string
	after  string
	digits int
}

// slot is where a name says that the number goes: a run of # or a printf verb.
var slot = regexp.MustCompile(`#+|%0?(\d*)d`)

// newFrameNames reads the name that the user gave: a folder, or a file name
// with a slot.
func newFrameNames(output, mesh string, frames int) (*frameNames, error) {
	n := &frameNames{output: output, digits: max(minDigits, len(fmt.Sprint(frames-1)))}
	if output == "" || output == "-" {
		return nil, usagef("animate: -o DIR is missing, for the pictures, or -o FILE.gif, .png, .webp or .mp4 for a film")
	}
	folder, file := filepath.Split(output)
	if at := slot.FindStringSubmatchIndex(file); at != nil {
		return n.parseSlot(folder, file, at, frames)
	}
	if ext := strings.ToLower(filepath.Ext(file)); isFilmFormat(ext) && !isFolder(output) {
		return nil, usagef("%s: animations of type %s are not available in this version: expected .png, .gif, .webp, .mp4, .webm, a folder, or a name such as frame_####.png", output, ext)
	}
	base := baseName(mesh)
	if base == "" {
		base = "frame"
	}
	n.before, n.after = filepath.Join(output, base)+"_", ".png"
	return n, nil
}

// filmName reports whether an output is an animation in one file: an animated PNG,
// whose frames have no names of their own.
func filmName(output string) bool {
	switch strings.ToLower(filepath.Ext(output)) {
	case ".png", ".apng", ".gif", ".webp", ".mp4", ".webm":
		return !slot.MatchString(filepath.Base(output)) && !isFolder(output)
	}
	return false
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// isFilmFormat reports whether an extension names a format of pictures or films. A
// folder of such a name would be a misunderstanding.
func isFilmFormat(ext string) bool {
	switch ext {
	case ".mov", ".jpg", ".jpeg", ".avi", ".mkv":
		return true
	}
	return false
}

// parseSlot finishes names for a file name with a slot at the given place.
func (n *frameNames) parseSlot(folder, file string, at []int, frames int) (*frameNames, error) {
	width := at[1] - at[0] // of a run of #
	if file[at[0]] == '%' {
		width = 1
		if at[2] < at[3] {
			if _, err := fmt.Sscan(file[at[2]:at[3]], &width); err != nil || width > 20 {
				return nil, usagef("%s: expected at most 20 digits", n.output)
			}
		}
	}
	if !strings.EqualFold(filepath.Ext(file), ".png") {
		return nil, usagef("%s: expected a name that ends in .png", n.output)
	}
	if slot.MatchString(file[at[1]:]) {
		return nil, usagef("%s: expected one place for the number", n.output)
	}
	n.digits = max(width, len(fmt.Sprint(frames-1)))
	n.before, n.after = folder+file[:at[0]], file[at[1]:]
	return n, nil
}

// name returns the file of frame k.
func (n *frameNames) name(k int) string {
	return fmt.Sprintf("%s%0*d%s", n.before, n.digits, k, n.after)
}

// number returns the frame, of a number of frames, that has a file name without its
// folder; false if none has.
func (n *frameNames) number(file string, frames int) (k int, ok bool) {
	_, before := filepath.Split(n.before)
	digits, ok := strings.CutPrefix(file, before)
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, n.after)
	k, err := strconv.Atoi(digits)
	return k, ok && err == nil && 0 <= k && k < frames && filepath.Base(n.name(k)) == file
}

// prepare makes the folder, with those above it, and finds out whether files
// can be created there.
func (n *frameNames) prepare(files *atomicfile.Set) error {
	if err := files.MakeFolder(filepath.Dir(n.name(0))); err != nil {
		return err
	}
	probe, err := files.Create(n.name(0))
	if err != nil {
		return err
	}
	probe.Abort()
	return nil
}
