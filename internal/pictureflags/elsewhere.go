package pictureflags

import "strings"

// OfRender returns the flags of render that renderfarm lacks, with the command that has each.
func OfRender() map[string]string {
	return elsewhere(map[string]string{
		"render animate": "fps record-loads",
		"render convert": "to",
		"render image":   "camera-json contact-sheet coverage depth ids normals parts recursive resume trim",
		"render info":    "json",
	})
}

// OfFarm returns the flags of renderfarm that render lacks, with the command that has each.
func OfFarm() map[string]string {
	return elsewhere(map[string]string{
		"renderfarm film":  "how key lease listen nodes priority replicas server split status-page store timeout tries when",
		"renderfarm node":  "cache cache-size idle join log name",
		"renderfarm serve": "dir init",
	})
}

// elsewhere returns the command of each flag. A program may read a file of --config that is for both, and says of a flag
// where it is.
func elsewhere(commands map[string]string) map[string]string {
	all := map[string]string{}
	for command, flags := range commands {
		for flag := range strings.FieldsSeq(flags) {
			all[flag] = command
		}
	}
	return all
}
