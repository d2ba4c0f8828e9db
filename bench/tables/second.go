package tables

import "slices"

// secondSets are the data sets of the paper's second experiment, "two from different outputs of a fluid-dynamics
// simulation and the other from the output of a particle interaction simulation. Two are balanced and one is
// unbalanced". The paper says no more about them, so these are scenes of that kind.
var secondSets = []string{"vortices", "shear", "particles"}

// printed are the data sets in the order in which they are printed.
var printed = slices.Concat([]string{"unbalanced", "balanced"}, secondSets)

// sceneOf returns the scene of a data set.
func sceneOf(dataset string) string {
	if slices.Contains(secondSets, dataset) {
		return dataset
	}
	return "perforator?version=" + dataset
}
