package tables

import "slices"

// secondSets are the data sets of the paper's second experiment, "two from different outputs of a fluid-dynamics
// simulation and the other from the output of a particle interaction simulation. Two are balanced and one is
// unbalanced" (Ahrens and Hansen, ICPP 1995). The paper says no more about them. These are scenes of that kind.
var secondSets = []string{"vortices", "shear", "particles"}

// datasetOrder is the order in which data sets are printed.
var datasetOrder = slices.Concat([]string{"unbalanced", "balanced"}, secondSets)

// sceneOf returns the procedural scene of a data set.
func sceneOf(dataset string) string {
	if slices.Contains(secondSets, dataset) {
		return dataset
	}
	return "perforator?version=" + dataset
}
