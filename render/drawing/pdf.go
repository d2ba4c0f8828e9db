package drawing

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"lockstep/render"
)

// WritePDF writes a drawing as PDF 1.4 with one page. The same drawing gives the same bytes.
func (d *Drawing) WritePDF(w io.Writer, s Style) error {
	var stream bytes.Buffer
	z := zlib.NewWriter(&stream)
	if _, err := z.Write(d.pdfContents(s)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	points := func(n int) string { return string(appendNumber(nil, float64(n)*72/s.dpi())) }
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R /Resources << >> >>", points(d.Width), points(d.Height)),
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", stream.Len(), stream.String()),
		fmt.Sprintf("<< /Title %s >>", pdfText(s.Title)),
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n") // bytes above 127 mark the file as binary
	var at []int
	for i, o := range objects {
		at = append(at, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	_, err := w.Write(file.Bytes())
	return err
}

// pdfContents returns the operators that draw the page. They are in units of the drawing, with y downwards.
func (d *Drawing) pdfContents(s Style) []byte {
	var b []byte
	scale := 72 / s.dpi()
	b = fmt.Appendf(b, "%.6f 0 0 %.6f 0 %s cm 1 J 1 j\n", scale, -scale, appendNumber(nil, float64(d.Height)*scale))
	if s.Background != nil {
		b = fmt.Appendf(b, "%s rg 0 0 %d %d re f\n", pdfColor(*s.Background), d.Width, d.Height)
	}
	if s.Paper != nil && len(d.Outline) > 0 {
		b = fmt.Appendf(b, "%s rg\n", pdfColor(*s.Paper))
		b = append(pdfPath(b, d.Outline, true), "f*\n"...)
	}
	b = fmt.Appendf(b, "%s RG\n", pdfColor(s.Ink))
	width := s.lineWidth(d.Height)
	for _, l := range d.layers() {
		if len(l.lines) == 0 {
			continue
		}
		dashes := "[]"
		if l.dashed {
			dashes = fmt.Sprintf("[%s %s]", appendNumber(nil, dash*width), appendNumber(nil, gap*width))
		}
		b = fmt.Appendf(b, "%s w %s 0 d\n", appendNumber(nil, l.width*width), dashes)
		b = append(pdfPath(b, l.lines, false), "S\n"...)
	}
	return b
}

func pdfColor(c render.RGB) string {
	channel := func(shift int) float64 { return float64(c>>shift&255) / 255 }
	return fmt.Sprintf("%.4f %.4f %.4f", channel(16), channel(8), channel(0))
}

func pdfPath(b []byte, lines []Line, closed bool) []byte {
	for _, line := range lines {
		for k, p := range line {
			if closed && k == len(line)-1 {
				b = append(b, "h\n"...)
				break
			}
			b = append(appendNumber(b, p.X), ' ')
			b = append(appendNumber(b, p.Y), ' ')
			if k == 0 {
				b = append(b, "m\n"...)
			} else {
				b = append(b, "l\n"...)
			}
		}
	}
	return b
}

// pdfText returns s as UTF-16 in hexadecimal digits.
func pdfText(s string) string {
	b := []byte("<FEFF")
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			b = fmt.Appendf(b, "%04X%04X", 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		b = fmt.Appendf(b, "%04X", r)
	}
	return string(append(b, '>'))
}
