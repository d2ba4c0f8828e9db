package png

import (
	"bytes"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	texts := []Text{
		{"Software", "Lockstep 1.0"},
		{"Title", ""},
		{"Größe", "Länge 3 µm\nzweite Zeile"},
		{"Comment", "視点 30°, 20°"},
		{strings.Repeat("k", 79), "long keyword"},
		{strings.Repeat("é", 79), "79 characters, 158 bytes of UTF-8"},
	}
	p := constant("", 3, 3, 1, 2, 3, 4)
	var got []Text
	var kinds []string
	for _, c := range parseChunks(t, encodeRGBA(t, p, &Options{Text: texts})) {
		if c.kind != "tEXt" && c.kind != "iTXt" {
			continue
		}
		kinds = append(kinds, c.kind)
		keyword, rest, _ := bytes.Cut(c.data, []byte{0})
		value := string(rest)
		if c.kind == "tEXt" {
			value = fromLatin1(rest)
		} else if v, ok := strings.CutPrefix(value, "\x00\x00\x00\x00"); ok {
			value = v
		} else {
			t.Errorf("iTXt fields % x", rest[:4])
		}
		got = append(got, Text{fromLatin1(keyword), value})
	}
	if len(got) != len(texts) {
		t.Fatalf("%d texts, want %d", len(got), len(texts))
	}
	for i := range texts {
		if got[i] != texts[i] {
			t.Errorf("text %d: %q, want %q", i, got[i], texts[i])
		}
	}
	if s := strings.Join(kinds, " "); s != "tEXt tEXt tEXt iTXt tEXt tEXt" {
		t.Errorf("chunks %s", s)
	}
}

func fromLatin1(p []byte) string {
	var r []rune
	for _, b := range p {
		r = append(r, rune(b))
	}
	return string(r)
}

func TestValidate(t *testing.T) {
	bad := []Options{
		{Level: -1}, {Level: 3}, {Channels: -1}, {Channels: 4}, {PixelsPerMetre: 1 << 31},
		{Text: []Text{{"", "v"}}},
		{Text: []Text{{strings.Repeat("k", 80), "v"}}},
		{Text: []Text{{" k", "v"}}}, {Text: []Text{{"k ", "v"}}}, {Text: []Text{{"a  b", "v"}}},
		{Text: []Text{{"a\x00b", "v"}}}, {Text: []Text{{"a\nb", "v"}}}, {Text: []Text{{"\u00a0", "v"}}},
		{Text: []Text{{"鍵", "v"}}}, {Text: []Text{{"\xff", "v"}}}, {Text: []Text{{"\x7f", "v"}}},
		{Text: []Text{{"k", "a\x00b"}}}, {Text: []Text{{"k", "\xff"}}},
	}
	for _, o := range bad {
		if o.Validate() == nil {
			t.Errorf("%+v is valid", o)
		}
		var buf bytes.Buffer
		if err := new(Encoder).EncodeRGBA(&buf, make([]byte, 4), 4, 1, 1, &o); err == nil || buf.Len() > 0 {
			t.Errorf("%+v: error %v, %d bytes written", o, err, buf.Len())
		}
	}
	all := Options{Level: 9, Channels: 9, Text: []Text{{"", ""}, {"k", "\xff"}}}
	if n := strings.Count(all.Validate().Error(), "\n") + 1; n != 4 {
		t.Errorf("%d faults reported, want 4", n)
	}
	if err := (&Options{Text: []Text{{"a b", "v"}}}).Validate(); err != nil {
		t.Error(err)
	}
}
