package xmltree

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// A probe is a format that gives its input to a test.
type probe struct{ do func(in *format.Input) error }

func (probe) Names() []string                        { return []string{"xml"} }
func (probe) Detect([]byte, int64) format.Likelihood { return format.Marked }
func (p probe) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	return &scenes.Mesh{}, &scenes.Report{}, p.do(in)
}

func parse(t *testing.T, doc string, opts scenes.ReadOptions) (tree *Tree, err error) {
	t.Helper()
	_, _, err = format.Read(context.Background(), strings.NewReader(doc), opts, probe{func(in *format.Input) error {
		data, err := in.ReadAll()
		if err == nil {
			tree, err = Parse(in, data, 0)
		}
		return err
	}})
	return tree, err
}

func TestTree(t *testing.T) {
	const doc = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "<c>">]>
<a:a x="1 > 0" y='"'><!-- <b/> --><b n:z = "3">1, 2<!-- 9 -->3<![CDATA[ 4<5 ]]></b><b/><c k="&lt;&#65;&#x42;&amp;&b;"><d>deep</d></c></a:a>`
	tree, err := parse(t, doc, scenes.ReadOptions{})
	if err != nil || tree.Bad != "" {
		t.Fatal(err, tree.Bad)
	}
	a := tree.Root().Child("a")
	for got, want := range map[string]string{
		a.Attr("x"): "1 > 0", a.Attr("y"): `"`, a.Child("b").Attr("z"): "3", a.Child("c").Attr("k"): "<AB&&b;", a.Child("c", "d").Text(): "deep",
		string(a.Child("b").Words()): "1, 2 3  4<5 ", a.Attr("none"): "", tree.Root().Child("none", "b").Name(): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var names []string
	for n := range a.All() {
		names = append(names, n.Name())
	}
	if !slices.Equal(names, []string{"b", "b", "c"}) {
		t.Error(names)
	}
	if n, ok := a.Child("b").Int("z"); n != 3 || !ok || None().Exists() || None().Text() != "" {
		t.Error(n, ok)
	}
}

func TestDamage(t *testing.T) {
	for doc, want := range map[string]string{
		"<a><b></a>":                      `the end of "a" within "b"`,
		"<a><b>":                          "the document ends within an element",
		"<a></a></a>":                     "the end of an element that has not begun",
		"<a><b x='>":                      "a tag without an end",
		"<a><!-- ":                        "<!-- without an end",
		"<!DOCTYPE a [":                   "a document type without an end",
		strings.Repeat("<a>", MaxDepth+1): "elements within each other, more than 256 deep",
		"<a><b/><>":                       "a tag without an end",
	} {
		tree, err := parse(t, doc, scenes.ReadOptions{})
		if err != nil || tree.Bad != want {
			t.Errorf("%.20q: %v, %q, want %q", doc, err, tree.Bad, want)
		}
		for n := range tree.Root().All() {
			n.Body()
		}
	}
	var limit *scenes.LimitError
	if _, err := parse(t, "<a>"+strings.Repeat("<b/>", 100_000), scenes.ReadOptions{MaxMemory: 2_000_000}); !errors.As(err, &limit) {
		t.Error(err)
	}
}

func FuzzTree(f *testing.F) {
	f.Add("<a x='1'><b>c</b></a>")
	f.Fuzz(func(t *testing.T, doc string) {
		tree, err := parse(t, doc, scenes.ReadOptions{})
		if err != nil {
			return
		}
		var walk func(n Node, depth int)
		walk = func(n Node, depth int) {
			if depth > MaxDepth+1 {
				t.Fatal("too deep")
			}
			n.Name()
			n.Attr("x")
			n.Words()
			for c := range n.All() {
				walk(c, depth+1)
			}
		}
		walk(tree.Root(), 0)
	})
}
