package film

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// TestJobSaysAll checks that a job contains all fields of its film and of the submitter's drawer. A node's drawer must
// get these fields.
func TestJobSaysAll(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir)
	f.Tries, f.Lease, f.Timeout, f.Priority = 7, 3*time.Second, time.Minute, 5
	d := recipe.Drawer{Workers: 1, ISA: "generic", Balance: render.BalanceNever, Read: scenes.ReadOptions{Strict: true, MaxTriangles: 12345, MaxMemory: 1 << 28}}
	s, err := Open(t.Context(), f, Options{Drawer: d})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	job := s.Job()
	if job.Tries != 7 || job.Lease != 3*time.Second || job.Timeout != time.Minute || job.Priority != 5 || job.Frames != 3 || job.Name != mesh || job.Shared != nil {
		t.Errorf("%+v", job)
	}
	known, err := readSpec(job)
	if err != nil {
		t.Fatal(err)
	}
	again, err := known.Drawing.drawer()
	if d.Workers = 0; err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("a node draws by %+v, %v", again, err)
	}
	if defaults := (&Film{Animation: f.Animation}).newJob(); defaults.Tries != cluster.DefaultTries || defaults.Lease != cluster.DefaultLease {
		t.Errorf("%+v", defaults)
	}
	bad := drawing{Balance: "sometimes"}
	if _, err := bad.drawer(); err == nil {
		t.Error("a policy that there is not is taken")
	}
}

// noMemory is a memory budget of 0 bytes.
type noMemory struct{ recipe.Memory }

func (noMemory) Lacks(render.Options, ...int64) *recipe.Shortage {
	return &recipe.Shortage{Resource: "memory", Need: 2, Have: 1}
}

// TestNodeHeedsMemory checks that a node opens a film within its memory budget.
func TestNodeHeedsMemory(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	var job cluster.Job
	if err := json.Unmarshal(jobOf(t, cubes(mesh, dir)), &job); err != nil {
		t.Fatal(err)
	}
	_, err := (&Node{Workers: 1, Memory: func() recipe.Memory { return noMemory{} }}).Open(t.Context(), job)
	var drawing *recipe.Error
	if !errors.As(err, &drawing) || !strings.Contains(err.Error(), "of memory") {
		t.Errorf("without memory: %v", err)
	}
}
