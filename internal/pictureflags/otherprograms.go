package pictureflags

import "strings"

// RenderFlags returns the flags that the program render has and renderfarm lacks. It maps each flag to a command that
// has it.
func RenderFlags() map[string]string {
	return commandByFlag(map[string]string{
		"render animate": "fps record-loads",
		"render convert": "to",
		"render image":   "camera-json contact-sheet coverage depth first-angle ids normals parts recursive resume sheet trim",
		"render info":    "json",
	})
}

// FarmFlags returns the flags that the program renderfarm has and render lacks. It maps each flag to a command that has
// it.
func FarmFlags() map[string]string {
	return commandByFlag(map[string]string{
		"renderfarm film":  "how key lease listen nodes priority replicas server split status-page store timeout tries when",
		"renderfarm node":  "cache cache-size idle join log name",
		"renderfarm serve": "dir init",
	})
}

// commandByFlag inverts a map from commands to their flags. Messages use the result to name the command that has a
// flag. A file of --config may serve both programs, so it may contain flags of the other one.
func commandByFlag(commands map[string]string) map[string]string {
	all := map[string]string{}
	for command, flags := range commands {
		for flag := range strings.FieldsSeq(flags) {
			all[flag] = command
		}
	}
	return all
}
