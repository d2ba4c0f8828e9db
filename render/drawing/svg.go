package drawing

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"lockstep/render"
)

// WriteSVG writes a drawing as SVG 1.1. It has a path for each kind of lines: "surface", "hidden", "wires" and
// "visible".
func (d *Drawing) WriteSVG(w io.Writer, s Style) error {
	b := bufio.NewWriter(w)
	inches := func(n int) string { return string(appendNumber(nil, float64(n)/s.dpi())) }
	size := fmt.Sprintf(`width="%d" height="%d"`, d.Width, d.Height)
	if s.DPI > 0 {
		size = fmt.Sprintf(`width="%sin" height="%sin"`, inches(d.Width), inches(d.Height))
	}
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" %s viewBox=\"0 0 %d %d\">\n", size, d.Width, d.Height)
	if s.Title != "" {
		fmt.Fprintf(b, "<title>%s</title>\n", escapeXML(s.Title))
	}
	if s.Background != nil {
		fmt.Fprintf(b, "<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", d.Width, d.Height, hexColor(*s.Background))
	}
	if s.Paper != nil && len(d.Outline) > 0 {
		fmt.Fprintf(b, "<path id=\"surface\" fill=\"%s\" fill-rule=\"evenodd\" d=\"", hexColor(*s.Paper))
		writePath(b, d.Outline, true)
		b.WriteString("\"/>\n")
	}
	width := s.lineWidth(d.Height)
	for _, l := range d.layers() {
		if len(l.lines) == 0 {
			continue
		}
		dashes := ""
		if l.dashed {
			dashes = fmt.Sprintf(" stroke-dasharray=\"%s %s\"", appendNumber(nil, dash*width), appendNumber(nil, gap*width))
		}
		fmt.Fprintf(b, "<path id=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" stroke-linejoin=\"round\"%s d=\"",
			l.name, hexColor(s.Ink), appendNumber(nil, l.width*width), dashes)
		writePath(b, l.lines, false)
		b.WriteString("\"/>\n")
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

func hexColor(c render.RGB) string { return fmt.Sprintf("#%06x", uint32(c)&0xffffff) }

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a Builder cannot fail
	return b.String()
}

// writePath writes lines as the commands of an SVG path.
func writePath(b *bufio.Writer, lines []Line, closed bool) {
	var buf []byte
	for i, line := range lines {
		buf = buf[:0]
		if i > 0 {
			buf = append(buf, '\n')
		}
		for k, p := range line {
			if closed && k == len(line)-1 {
				buf = append(buf, 'Z')
				break
			}
			switch k {
			case 0:
				buf = append(buf, 'M')
			case 1:
				buf = append(buf, 'L')
			default:
				buf = append(buf, ' ')
			}
			buf = append(appendNumber(buf, p.X), ' ')
			buf = appendNumber(buf, p.Y)
		}
		b.Write(buf)
	}
}
