package doctable

import "strings"

// Commands returns the arguments of each call of a program in the code blocks of a Markdown text. It skips command
// lines that are only patterns. A pattern contains brackets or MESH.
func Commands(text, program string) (commands [][]string) {
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "$ "), " #")
		if !code {
			continue
		}
		for part := range strings.SplitSeq(line, "&&") {
			args := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(part))
			if len(args) > 1 && args[0] == program && !strings.ContainsAny(part, "[|") && !strings.Contains(part, "MESH") {
				commands = append(commands, withoutRedirections(args[1:]))
			}
		}
	}
	return commands
}

// withoutRedirections returns args without the redirections > FILE and < FILE.
func withoutRedirections(args []string) (kept []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == ">" || args[i] == "<" {
			i++
		} else {
			kept = append(kept, args[i])
		}
	}
	return kept
}
