package meshtest

import (
	"context"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// Input returns an input named "input" of 100 bytes, for tests of what readers are made of.
func Input(ctx context.Context, opts scenes.ReadOptions) *format.Input {
	var k keeper
	if _, _, err := format.Read(ctx, strings.NewReader(strings.Repeat("x", 100)), opts, &k); err != nil {
		panic(err)
	}
	return k.in
}

// A keeper is a format that keeps its input.
type keeper struct{ in *format.Input }

func (*keeper) Names() []string { return nil }

func (*keeper) Detect([]byte, int64) format.Likelihood { return format.Certain }

func (k *keeper) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	k.in = in
	return new(scenes.Mesh), new(scenes.Report), nil
}
