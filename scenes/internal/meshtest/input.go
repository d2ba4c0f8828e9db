package meshtest

import (
	"context"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// Input returns an input of 100 bytes named "input", for tests of the parts of readers.
func Input(ctx context.Context, opts scenes.ReadOptions) *format.Input {
	var k keeper
	if _, _, err := format.Read(ctx, strings.NewReader(strings.Repeat("x", 100)), opts, &k); err != nil {
		panic(err)
	}
	return k.in
}

// A keeper is a format whose reader only records its input.
type keeper struct{ in *format.Input }

func (*keeper) Names() []string { return nil }

func (*keeper) Detect([]byte, int64) format.Likelihood { return format.Certain }

func (k *keeper) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	k.in = in
	return new(scenes.Mesh), new(scenes.Report), nil
}
