package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/image/colornames"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

// writeShellText writes the output of the commands completion, man and thumbnailer. The result known is false for other
// commands.
func writeShellText(w io.Writer, p *pictureflags.Program, name string, args []string) (known bool, err error) {
	switch name {
	case "completion":
		if len(args) != 1 {
			return true, cli.Usagef("render completion: expected bash, zsh or fish")
		}
		return true, writeCompletion(w, p, args[0])
	case "man":
		return true, writeManual(w, p)
	case "thumbnailer":
		_, err = io.WriteString(w, thumbnailer)
		return true, err
	}
	return false, nil
}

// thumbnailer is the contents of the file /usr/share/thumbnailers/lockstep.thumbnailer. With it, file managers show
// pictures of meshes.
const thumbnailer = `[Thumbnailer Entry]
TryExec=render
Exec=render image -q --format png --max-triangles 20M --background none -s %s -o %o %i
MimeType=model/stl;model/x.stl-binary;model/x.stl-ascii;application/sla;model/obj;model/x-obj;model/gltf-binary;model/gltf+json;model/3mf;application/vnd.ms-package.3dmanufacturing-3dmodel+xml;application/x-ply;model/ply;model/x-off;
`

// writeCompletion prints a shell script that completes commands, flags and their values.
func writeCompletion(w io.Writer, p *pictureflags.Program, shell string) error {
	write := map[string]func(io.Writer, *pictureflags.Program, string, []*kong.Flag){"bash": writeBashCommand, "zsh": writeZshCommand, "fish": writeFishCommand}[shell]
	if write == nil {
		return cli.Usagef("render completion: %q: expected bash, zsh or fish", shell)
	}
	names := make([]string, 0, len(p.Commands))
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	words := strings.Join(append(names, "help", "version", "completion", "man", "thumbnailer"), " ")
	io.WriteString(w, map[string]string{
		// In bash, the = between a flag and its value is a word of its own.
		"bash": "_render() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n  [[ $cur == = ]] && cur=\n  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n  COMPREPLY=()\n  if [[ $COMP_CWORD == 1 && $cur != -* ]]; then COMPREPLY=($(compgen -W '" + words + "' -- \"$cur\")); return; fi\n  case $command in\n",
		"zsh":  "#compdef render\n_render() {\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then compadd " + words + "; _files; return; fi\n  case $words[2] in\n",
		"fish": "complete -c render -n __fish_use_subcommand -a '" + words + "'\n",
	}[shell])
	writeTopicCompletion(w, shell, names)
	for i := len(p.Commands); i >= 0; i-- {
		name := "" // the last iteration is for flags of pictures without a command
		if i > 0 {
			name = p.Commands[len(p.Commands)-i].Name
		}
		flags, err := p.FlagsOf(name)
		if err != nil {
			return err
		}
		write(w, p, name, flags)
	}
	_, err := io.WriteString(w, map[string]string{
		"bash": "  esac\n}\ncomplete -o default -F _render render\n", "zsh": "  esac\n}\n_render \"$@\"\n",
	}[shell])
	return err
}

// flagValues returns the words that a flag accepts, or nil if it accepts other values.
func flagValues(flag *kong.Flag) []string {
	switch {
	case flag.Enum != "":
		return strings.Split(flag.Enum, ",")
	case flag.Name == "view":
		return []string{"front", "back", "left", "right", "top", "bottom", "iso"}
	case flag.Name == "colormap":
		return []string{"viridis", "plasma", "magma", "inferno", "coolwarm", "grey"}
	case flag.Name == "samples":
		return []string{"1", "4", "16"}
	case flag.Name == "contact-sheet":
		return []string{"4", "7"}
	case flag.Name == "stats":
		return []string{"text", "json"}
	case flag.Name == "unit":
		return []string{"um", "mm", "cm", "m", "in", "ft"}
	case flag.Name == "up":
		return []string{"x", "y", "z", "-x", "-y", "-z"}
	case specialColors[flag.Name] != nil:
		return append(slices.Clone(colornames.Names), specialColors[flag.Name]...)
	}
	return nil
}

// specialColors are the words that flags for colours accept in addition to names of colours.
var specialColors = map[string][]string{
	"color": {"source", "facing"}, "background": {"none", "gradient"}, "line-color": {"auto"}, "section-color": {"open"},
}

// writeTopicCompletion completes the arguments of completion and help.
func writeTopicCompletion(w io.Writer, shell string, names []string) {
	for _, topic := range []struct {
		command string
		words   []string
	}{
		{"completion", []string{"bash", "zsh", "fish"}},
		{"help", append(slices.Clone(names), slices.Sorted(maps.Keys(pages))...)},
	} {
		fmt.Fprintf(w, map[string]string{
			"bash": "  %s) [[ $COMP_CWORD == 2 ]] && COMPREPLY=($(compgen -W '%s' -- \"$cur\"));;\n",
			"zsh":  "  %s) if (( CURRENT == 3 )); then compadd %s; else _files; fi;;\n",
			"fish": "complete -c render -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
		}[shell], topic.command, strings.Join(topic.words, " "))
	}
}

func writeBashCommand(w io.Writer, _ *pictureflags.Program, name string, flags []*kong.Flag) {
	pattern := name
	if name == "" {
		pattern = "*"
	}
	var long []string
	fmt.Fprintf(w, "  %s)\n    case $prev in\n", pattern)
	for _, f := range flags {
		long = append(long, "--"+f.Name)
		if v := flagValues(f); v != nil {
			fmt.Fprintf(w, "      --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return;;\n", f.Name, strings.Join(v, " "))
		}
	}
	fmt.Fprintf(w, "    esac\n    [[ $cur == -* ]] && COMPREPLY=($(compgen -W '%s' -- \"$cur\"));;\n", strings.Join(long, " "))
}

func writeZshCommand(w io.Writer, _ *pictureflags.Program, name string, flags []*kong.Flag) {
	pattern := name
	if name == "" {
		pattern = "*"
	}
	fmt.Fprintf(w, "  %s) _arguments \\\n", pattern)
	quote := strings.NewReplacer("'", "'\\''", "[", "\\[", "]", "\\]", ":", "\\:")
	for _, f := range flags {
		value := ""
		switch v := flagValues(f); {
		case v != nil:
			value = "=:value:(" + strings.Join(v, " ") + ")"
		case !f.IsBool():
			value = "=:value:_files"
		}
		name, value, _ := strings.Cut("--"+f.Name+value, ":")
		if value != "" {
			value = ":" + value
		}
		fmt.Fprintf(w, "    '%s[%s]%s' \\\n", name, quote.Replace(f.Help), value)
	}
	fmt.Fprint(w, "    '*:mesh:_files';;\n")
}

func writeFishCommand(w io.Writer, p *pictureflags.Program, name string, flags []*kong.Flag) {
	condition := "__fish_seen_subcommand_from " + name
	if name == "" {
		var names []string
		for _, c := range p.Commands {
			names = append(names, c.Name)
		}
		names = append(names, "help", "version", "completion", "man", "thumbnailer")
		condition = "not __fish_seen_subcommand_from " + strings.Join(names, " ")
	}
	for _, f := range flags {
		line := fmt.Sprintf("complete -c render -n '%s' -l %s", condition, f.Name)
		if f.Short != 0 {
			line += fmt.Sprintf(" -s %c", f.Short)
		}
		if v := flagValues(f); v != nil {
			line += " -x -a '" + strings.Join(v, " ") + "'"
		} else if !f.IsBool() {
			line += " -r"
		}
		fmt.Fprintf(w, "%s -d '%s'\n", line, strings.ReplaceAll(f.Help, "'", "\\'"))
	}
}

// writeManual prints the manual page render(1).
func writeManual(w io.Writer, p *pictureflags.Program) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH RENDER 1 \"\" \"Lockstep %s\" \"User Commands\"\n.SH NAME\nrender \\- turn meshes into pictures\n.SH SYNOPSIS\n.nf\n", cli.Version)
	_, usage, _ := strings.Cut(overview, "Usage: ")
	// In the manual, all lines begin in the first column.
	b.WriteString(roff(strings.ReplaceAll(usage, "\n       ", "\n")) + "\n.fi\n")
	for _, c := range p.Commands {
		flags, err := p.FlagsOf(c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, ".SH RENDER %s\nTo %s.\n", strings.ToUpper(c.Name), roff(c.Summary))
		for _, f := range flags {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(pictureflags.FlagName(f))), roff(f.Help))
		}
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", roff(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(pictureflags.ExitCodes), "Exit codes:"))))
	_, err := io.WriteString(w, b.String())
	return err
}

// roff escapes text for a manual page.
func roff(text string) string {
	text = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(strings.TrimSpace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = "\\&" + line
		}
	}
	return strings.Join(lines, "\n")
}
