package film

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// A turncoat draws its first frame correctly and all other frames wrongly. It saves no pictures.
type turncoat struct {
	node  *Node
	wrong func(right []byte, k int) []byte
	cluster.Frames
	drawn int
	// claims makes the node record that it saved its pictures, which is wrong.
	claims bool
}

func (d *turncoat) Open(ctx context.Context, job cluster.Job) (f cluster.Frames, err error) {
	d.Frames, err = d.node.Open(ctx, job)
	return d, err
}

func (d *turncoat) Draw(ctx context.Context, k int) ([]byte, error) {
	right, err := d.Frames.Draw(ctx, k)
	if d.drawn++; err != nil || d.drawn == 1 {
		return right, err
	}
	return d.wrong(right, k), nil
}

func (d *turncoat) Save(context.Context, int, []byte) (bool, error) { return d.claims, nil }

// TestTurncoats checks that a faulty node is detected even if its first picture was right. If an upload is not a
// picture, the node is detected at once. If a picture was not saved, the node is detected when the frame is drawn
// again. If the node uploads wrong pictures, it is detected by its hundredth picture. In the end all pictures of the
// node's key must be right.
func TestTurncoats(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		frames int
		wrong  func(right []byte, k int) []byte
		says   string
		claims bool
	}{
		"no picture": {6, func([]byte, int) []byte { return []byte("no picture") }, "it is no PNG file", false},
		"claims":     {6, func([]byte, int) []byte { return []byte("no picture") }, "turncoat drew frame", true},
		// An additional text in the file is enough to make it a different picture.
		"another picture": {checkEvery + 12, func(right []byte, k int) []byte { return otherText(right) }, "turncoat drew frame", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dial := startServer(t)
			dir, mesh := clitest.CubeFile(t)
			f := cubes(mesh, dir+"/out")
			f.Animation.Frames = c.frames
			var said []string
			s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { said = append(said, line) }})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			seed, _ := newKey(t)
			conn, theirs := dial(), dial()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- s.Draw(ctx, conn) }()
			bad := &turncoat{node: &Node{Cluster: theirs, Name: "turncoat", Workers: 1}, wrong: c.wrong, claims: c.claims}
			if err := theirs.Work(ctx, ctx, bad, cluster.WorkOptions{Name: "turncoat", Seed: seed}); !errors.Is(err, cluster.ErrBlocked) {
				t.Errorf("the turncoat ends with %v", err)
			}
			startNode(t, &Node{Cluster: dial(), Name: "honest", Workers: 1})
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(said, "\n"), c.says) {
				t.Errorf("it says %q", said)
			}
			k := 0
			if err := new(recipe.Drawer).Frames(t.Context(), f.Animation, recipe.Output{}, func(_ int, file []byte) error {
				if got := clitest.Read(t, s.names.Name(k)); !bytes.Equal(got, file) {
					t.Errorf("frame %d differs", k)
				}
				k++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// otherText returns the PNG file with an additional chunk of text.
func otherText(file []byte) []byte {
	const header = 33 // the signature and the chunk IHDR
	chunk := []byte("\x00\x00\x00\x03tEXta\x00b")
	return fmt.Appendf(nil, "%s%s%s%s", file[:header], chunk, checksum(chunk[4:]), file[header:])
}
