package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestSteps draws the time steps of a VTK collection.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	write := func(files ...string) {
		var list strings.Builder
		for i, f := range files {
			fmt.Fprintf(&list, `<DataSet timestep="%d" part="0" file="%s"/>`, i, f)
		}
		clitest.Write(t, filepath.Join(dir, "run.pvd"), `<VTKFile type="Collection"><Collection>`+list.String()+`</Collection></VTKFile>`)
	}
	for i := range 3 {
		clitest.Write(t, filepath.Join(dir, fmt.Sprintf("s%d.vtu", i)), fmt.Sprintf(`<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="3" NumberOfCells="1">
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 %d 0 0 0 0 1</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray><DataArray type="Int32" Name="offsets" format="ascii">3</DataArray><DataArray type="UInt8" Name="types" format="ascii">5</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>`, i+1))
	}
	write("s0.vtu", "s1.vtu", "s2.vtu")
	run(t, dir, "", "animate", "run.pvd", "-o", "out", "-s", "40x30", "--fast", "-q").Want(t, cli.Done)
	run(t, dir, "", "animate", "s0.vtu", "s1.vtu", "s2.vtu", "-o", "same", "-s", "40x30", "--fast", "-q").Want(t, cli.Done)
	for i := range 3 {
		a, b := clitest.Read(t, filepath.Join(dir, "out", fmt.Sprintf("s0_%04d.png", i))), clitest.Read(t, filepath.Join(dir, "same", fmt.Sprintf("s0_%04d.png", i)))
		if !samePicture(t, a, b) {
			t.Errorf("frame %d is not its step", i)
		}
	}
	run(t, dir, "", "run.pvd", "-o", "first.png", "-s", "40x30", "--fast", "-q").Want(t, cli.Done)
	write("s0.vtu", "../s1.vtu")
	run(t, dir, "", "animate", "run.pvd", "-o", "out2", "-s", "40x30", "--fast", "-q").Want(t, cli.Input, "../s1.vtu")
}
