package film

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// A faultyDrawer draws every frame wrongly.
type faultyDrawer struct{}

func (faultyDrawer) Open(context.Context, cluster.Job) (cluster.Frames, error) {
	return faultyDrawer{}, nil
}
func (faultyDrawer) Draw(context.Context, int) ([]byte, error)                 { return []byte("a forgery"), nil }
func (faultyDrawer) Save(context.Context, int, []byte) (saved bool, err error) { return false, nil }
func (faultyDrawer) Close() error                                              { return nil }

// TestFaultyNodesAreFound checks that a node with wrong pictures is detected by its first picture, blocked and named. A
// node that uses the submitter's name is also detected, but not named. In the end all pictures must be right.
func TestFaultyNodesAreFound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"forger", SubmitterName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dial := startServer(t)
			dir, mesh := clitest.CubeFile(t)
			f := cubes(mesh, dir)
			f.Animation.Frames = 9
			var said []string
			s, err := Open(t.Context(), f, Options{Warn: func(line string) { said = append(said, line) }})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			drawn := make(chan error, 1)
			conn, theirs := dial(), dial()
			go func() { drawn <- s.Draw(t.Context(), conn) }()
			if err := theirs.Work(t.Context(), t.Context(), faultyDrawer{}, cluster.WorkOptions{Name: name}); !errors.Is(err, cluster.ErrBlocked) {
				t.Errorf("the forger ends with %v", err)
			}
			startNode(t, &Node{Cluster: dial(), Name: "honest", Workers: 1})
			if err := <-drawn; err != nil {
				t.Fatal(err)
			}
			if named := strings.Contains(strings.Join(said, "\n"), "node "+name+" drew frame"); named != (name != SubmitterName) {
				t.Errorf("%q", said)
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
