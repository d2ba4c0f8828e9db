package meshtest

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"lockstep/scenes/format"
)

var (
	aNumber = regexp.MustCompile(`-?\b[0-9]+(\.[0-9]+)?`)
	aQuote  = regexp.MustCompile(`"[^"<>]{1,64}"`)
	aTag    = regexp.MustCompile(`<([A-Za-z_0-9]+)\b[^<>]*>`)
	aLine   = regexp.MustCompile(`[^\n]*\n`)
)

// oddValues lists values that readers do not expect as counts, indices or sizes in files.
var oddValues = strings.Fields("-1 0 1 2 3 4 5 7 8 12 42 255 256 4096 65535 65536 1000000 2147483647 2147483648 4294967295 4294967296 1e15 1e300 nan -0.5 x")

// Mutate returns a text or binary file after a few changes. It changes numbers, repeats or moves lines and elements,
// swaps names and removes pieces. `most` is the largest number of repetitions.
func Mutate(r *rand.Rand, file string, most int) string {
	for range 1 + r.IntN(3) {
		file = mutateOnce(r, file, most)
	}
	return file
}

func mutateOnce(r *rand.Rand, file string, most int) string {
	often := 1 + r.IntN(1+r.IntN(1+r.IntN(most)))
	some := func(pattern *regexp.Regexp) (at []int) {
		if all := pattern.FindAllStringIndex(file, 4096); len(all) > 0 {
			return all[r.IntN(len(all))]
		}
		return []int{0, 0}
	}
	replace := func(at []int, with string) string { return file[:at[0]] + with + file[at[1]:] }
	switch r.IntN(10) {
	case 0, 1: // replace a number
		if at := some(aNumber); at[1] > 0 {
			return replace(at, oddValues[r.IntN(len(oddValues))])
		}
	case 2: // repeat or remove a line
		at := some(aLine)
		return replace(at, strings.Repeat(file[at[0]:at[1]], r.IntN(2)*often))
	case 3: // copy a line to another place
		from, to := some(aLine), some(aLine)
		return file[:to[0]] + file[from[0]:from[1]] + file[to[0]:]
	case 4, 5: // copy an element to another place, often repeatedly
		if at := some(aTag); at[1] > 0 {
			one := elementAt(file, at)
			to := some(aTag)
			return file[:to[0]] + strings.Repeat(one, often) + file[to[0]:]
		}
	case 6: // remove an element
		if at := some(aTag); at[1] > 0 {
			return file[:at[0]] + file[at[0]+len(elementAt(file, at)):]
		}
	case 7: // replace a name by another name of the file
		from := some(aQuote)
		return replace(some(aQuote), file[from[0]:from[1]])
	case 8: // overwrite a binary number
		return overwriteNumber(r, file)
	}
	if len(file) == 0 {
		return file
	}
	at := r.IntN(len(file))
	if r.IntN(3) == 0 {
		return file[:at]
	}
	return file[:at] + string(rune(file[at]^1<<r.IntN(8)&127)) + file[min(len(file), at+1+r.IntN(2)*r.IntN(40)):]
}

// elementAt returns the element whose tag is file[at[0]:at[1]], with its contents. If the element has no end tag, it
// returns only the tag.
func elementAt(file string, at []int) string {
	tag := file[at[0]:at[1]]
	name := aTag.FindStringSubmatch(tag)[1]
	end := strings.Index(file[at[1]:], "</"+name+">")
	if strings.HasSuffix(tag, "/>") || end < 0 {
		return tag
	}
	return file[at[0] : at[1]+end+len(name)+3]
}

// overwriteNumber overwrites 2, 4 or 8 bytes at a random position in a file with a number.
func overwriteNumber(r *rand.Rand, file string) string {
	b := []byte(file)
	values := []uint64{0, 1, 2, 3, 4, 5, 16, 255, 4096, 65535, 65536, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	v := values[r.IntN(len(values))]
	if len(b) < 8 {
		return file
	}
	at := r.IntN(len(b) - 7)
	order := binary.ByteOrder(binary.LittleEndian)
	if r.IntN(3) == 0 {
		order = binary.BigEndian
	}
	switch r.IntN(4) {
	case 0:
		order.PutUint64(b[at:], v)
	case 1:
		order.PutUint16(b[at:], uint16(v))
	default:
		order.PutUint32(b[at:], uint32(v))
	}
	return string(b)
}

var (
	longMutants = flag.Int("mutants", 150, "how many damaged files TestMutants reads")
	mutantsSeed = flag.Uint64("mutants-seed", 1, "the seed of damaged files")
)

// MutantsOf calls Mutants with files that Mutate makes from the given files. It reads 150 of them, or as many as the
// flag -mutants states.
func MutantsOf(t *testing.T, reader format.Format, files ...string) {
	t.Helper()
	MutantsBy(t, reader, func(r *rand.Rand) string { return Mutate(r, files[r.IntN(len(files))], 2000) })
}

// MutantsBy is like MutantsOf, but mutate makes the files.
func MutantsBy(t *testing.T, reader format.Format, mutate func(r *rand.Rand) string) {
	t.Helper()
	Mutants(t, reader, *longMutants, *mutantsSeed, mutate)
}

// Files returns the files of cases.
func Files(cases []Case) []string {
	files := make([]string, len(cases))
	for i, c := range cases {
		files[i] = c.File
	}
	return files
}

// FuzzMutants is the body of a fuzz target that applies Mutate with the given seed to a file and reads the result.
func FuzzMutants(t *testing.T, reader format.Format, file []byte, seed uint64, piece int) {
	FuzzInstances(t, reader, []byte(Mutate(rand.New(rand.NewPCG(seed, 0)), string(file), 50)), piece)
}
