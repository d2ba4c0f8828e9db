package framename

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"lockstep/render/atomicfile"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

// minDigits is the least number of digits of a frame's number, so that files sort by name.
const minDigits = 4

// Names makes the file names of an animation's pictures, which are numbered from 0.
type Names struct {
	Output string // name or pattern that the user gave
	prefix string
	suffix string
	digits int
}

// slot matches the part of a name that the number of a frame replaces: a run of #, or a printf verb such as %04d.
var slot = regexp.MustCompile(`#+|%0?(\d*)d`)

// New parses the name that the user gave. It is a folder, or a file name with a slot for the number, see slot. In a
// folder, the names of pictures begin with the name of the mesh.
func New(output, mesh string, frames int) (*Names, error) {
	n := &Names{Output: output, digits: max(minDigits, len(fmt.Sprint(frames-1)))}
	if output == "" || output == "-" {
		return nil, fmt.Errorf("animate: -o DIR is missing, for the pictures, or -o FILE.gif, .png, .webp or .mp4 for a film")
	}
	folder, file := filepath.Split(output)
	if at := slot.FindStringSubmatchIndex(file); at != nil {
		return n.parseSlot(folder, file, at, frames)
	}
	if ext := strings.ToLower(filepath.Ext(file)); isFilmFormat(ext) && !IsFolder(output) {
		return nil, fmt.Errorf("%s: animations of type %s are not available in this version: expected .png, .gif, .webp, .mp4, .webm, a folder, or a name such as frame_####.png", output, ext)
	}
	base := Base(mesh)
	if base == "" {
		base = "frame"
	}
	n.prefix, n.suffix = filepath.Join(output, base)+"_", ".png"
	return n, nil
}

// IsAnimation reports whether an output is a single file that holds all frames, such as an animated PNG. Otherwise the
// output is a name for numbered pictures.
func IsAnimation(output string) bool {
	switch strings.ToLower(filepath.Ext(output)) {
	case ".png", ".apng", ".gif", ".webp", ".mp4", ".webm":
		return !slot.MatchString(filepath.Base(output)) && !IsFolder(output)
	}
	return false
}

// IsFolder reports whether a folder of this name exists.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// isFilmFormat reports whether an extension names a format of animations that this program cannot write. A name with
// such an extension is taken for a mistake, not for a folder.
func isFilmFormat(ext string) bool {
	switch ext {
	case ".mov", ".jpg", ".jpeg", ".avi", ".mkv":
		return true
	}
	return false
}

// parseSlot sets the fields of n from the name of a file. The parameter `at` is the match of slot in that name, in the
// form of FindStringSubmatchIndex.
func (n *Names) parseSlot(folder, file string, at []int, frames int) (*Names, error) {
	width := at[1] - at[0] // number of # characters
	if file[at[0]] == '%' {
		width = 1
		if at[2] < at[3] {
			if _, err := fmt.Sscan(file[at[2]:at[3]], &width); err != nil || width > 20 {
				return nil, fmt.Errorf("%s: expected at most 20 digits", n.Output)
			}
		}
	}
	if !strings.EqualFold(filepath.Ext(file), ".png") {
		return nil, fmt.Errorf("%s: expected a name that ends in .png", n.Output)
	}
	if slot.MatchString(file[at[1]:]) {
		return nil, fmt.Errorf("%s: expected one place for the number", n.Output)
	}
	n.digits = max(width, len(fmt.Sprint(frames-1)))
	n.prefix, n.suffix = folder+file[:at[0]], file[at[1]:]
	return n, nil
}

// Name returns the path of the file of frame k.
func (n *Names) Name(k int) string {
	return fmt.Sprintf("%s%0*d%s", n.prefix, n.digits, k, n.suffix)
}

// Number returns the number of the frame with the given file name. The name must not contain a folder. ok is false if
// no frame has this name.
func (n *Names) Number(file string, frames int) (k int, ok bool) {
	_, before := filepath.Split(n.prefix)
	digits, ok := strings.CutPrefix(file, before)
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, n.suffix)
	k, err := strconv.Atoi(digits)
	return k, ok && err == nil && 0 <= k && k < frames && filepath.Base(n.Name(k)) == file
}

// Prepare creates the folder of the pictures, including the folders above it. It returns an error if no file can be
// created in the folder.
func (n *Names) Prepare(files *atomicfile.Set) error {
	if err := files.MakeFolder(filepath.Dir(n.Name(0))); err != nil {
		return err
	}
	probe, err := files.Create(n.Name(0))
	if err != nil {
		return err
	}
	probe.Abort()
	return nil
}

// Base returns the beginning of the names of a mesh's pictures. This is the name of the mesh file without folder and
// extension, or the name of the scene. It is empty for standard input.
func Base(mesh string) string {
	if scene, ok := strings.CutPrefix(mesh, procedural.Prefix); ok {
		name, _, _ := strings.Cut(scene, "?")
		return name
	}
	if mesh == "-" {
		return ""
	}
	base, _ := save.SplitPacking(filepath.Base(mesh))
	if stem := strings.TrimSuffix(base, filepath.Ext(base)); stem != "" {
		return stem
	}
	return base
}

// Folder returns the folder in which the pictures are.
func (n *Names) Folder() string { return filepath.Dir(n.Name(0)) }

// Ranges returns a list of numbers as text. Consecutive numbers are joined as a-b.
func Ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", numbers[i], numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
