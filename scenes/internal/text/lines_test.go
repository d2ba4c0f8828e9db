package text

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pieces returns a function that reads a text, at most size bytes at a time.
func pieces(s string, size int) func(p []byte) (int, error) {
	return func(p []byte) (int, error) {
		n := 0
		for n < len(p) && s != "" {
			k := copy(p[n:], s[:min(size, len(s))])
			s, n = s[k:], n+k
		}
		if n < len(p) {
			return n, io.EOF
		}
		return n, nil
	}
}

// TestLines compares Lines with strings.Split for lines of all lengths up to several buffers, read in pieces of any
// size.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			n := rapid.SampledFrom([]int{0, 1, 5, 1000, BufferSize - 1, BufferSize, BufferSize + 1, 3 * BufferSize}).Draw(t, "length")
			want = append(want, strings.Repeat("x", n))
		}
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := strings.Join(want, eol)
		prefix := text[:min(len(text), rapid.SampledFrom([]int{0, 10, 64 << 10}).Draw(t, "prefix"))]
		if !strings.Contains(prefix, "\n") {
			prefix = text[:min(len(text), 64<<10)]
		}
		if strings.Contains(text, "\n") && !strings.Contains(prefix, "\n") {
			t.Skip("the first buffer shows no line end")
		}
		l := NewLines([]byte(prefix), false, pieces(text[len(prefix):], rapid.IntRange(1, 1<<20).Draw(t, "size")))
		if len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1] // no line follows the last line end
		}
		for i, w := range want {
			f, ok, err := l.Next()
			if err != nil || !ok || l.Line() != i+1 {
				t.Fatalf("line %d: %v, %v, numbered %d", i+1, ok, err, l.Line())
			}
			if got := f.Word(); string(got) != w || f.More() {
				t.Fatalf("line %d has %d bytes, want %d", i+1, len(got), len(w))
			}
		}
		if _, ok, err := l.Next(); ok || err != nil {
			t.Fatalf("after the end: %v, %v", ok, err)
		}
	})
}

func TestJoin(t *testing.T) {
	l := NewLines([]byte("a \\\nb\n# no \\\nc\\\r\n \\\r\nd\ne \\"), true, nil)
	l.Join = true
	for _, want := range []struct {
		words string
		line  int
	}{{"a b", 1}, {"# no \\", 3}, {"c d", 4}, {`e \`, 7}} {
		f, ok, err := l.Next()
		if err != nil || !ok || l.Line() != want.line {
			t.Fatalf("%q: %v, %v, line %d, want %d", want.words, ok, err, l.Line(), want.line)
		}
		var words []string
		for f.More() {
			words = append(words, string(f.Word()))
		}
		if got := strings.Join(words, " "); got != want.words {
			t.Errorf("%q, want %q", got, want.words)
		}
	}
}

// TestLongLine checks that an endless line causes an error before much of it is held in memory.
func TestLongLine(t *testing.T) {
	read := 0
	l := NewLines([]byte("a\n"), false, func(p []byte) (int, error) {
		read += len(p)
		for i := range p {
			p[i] = 'x'
		}
		return len(p), nil
	})
	if _, ok, err := l.Next(); !ok || err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Next(); !errors.Is(err, ErrLongLine) || read > 32<<20 {
		t.Errorf("error %v, %d bytes read", err, read)
	}
}

func fields(s string) *Fields {
	f := Fields{b: []byte(s + "\n")}
	return &f
}

func TestFields(t *testing.T) {
	for s, want := range map[string]int64{"7": 7, "+7": 7, "-7": -7, "7.0": 7, "1e3": 1000, "000000000000000000000012": 12, "  5\t": 5} {
		f := fields(s)
		if v, ok := f.Int(); !ok || v != want || f.More() {
			t.Errorf("%q: %d, %v", s, v, ok)
		}
	}
	for _, s := range []string{"", " ", "x", "7x", "7.5", "-", "1e30", "nan", "inf"} {
		f := fields("1 " + s)
		f.Word()
		before := *f
		if v, ok := f.Int(); ok {
			t.Errorf("%q is %d", s, v)
		}
		if got, want := f.Rest(), before.Rest(); !bytes.Equal(got, want) {
			t.Errorf("%q: %q is left, want %q", s, got, want)
		}
	}
	f := fields("12/3//4 # 5")
	f.CutComment()
	if v, ok := f.Digits(); !ok || v != 12 || f.AtSpace() || !f.Accept('/') || f.Accept('/') {
		t.Errorf("%d, %v", v, ok)
	}
	if rest := string(f.Rest()); rest != "3//4" {
		t.Errorf("%q is left", rest)
	}
}
