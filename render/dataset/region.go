package dataset

// None stands for a pixel that shows no object.
const None = 1<<32 - 1

// A Region is where pixels of an object are in a picture: the least box that holds them, and how many they are.
type Region struct {
	X, Y, Width, Height int
	Pixels              int
}

// add makes the region hold a run of pixels of a row.
func (r *Region) add(x, y, n int) {
	if r.Pixels == 0 {
		*r = Region{x, y, n, 1, n}
		return
	}
	right, bottom := max(r.X+r.Width, x+n), max(r.Y+r.Height, y+1)
	r.X, r.Y = min(r.X, x), min(r.Y, y)
	r.Width, r.Height = right-r.X, bottom-r.Y
	r.Pixels += n
}

// box returns the left, upper, width and height as the files have them; all -1 for no pixels.
func (r *Region) box() [4]int {
	if r.Pixels == 0 {
		return [4]int{-1, -1, -1, -1}
	}
	return [4]int{r.X, r.Y, r.Width, r.Height}
}

// RegionOf returns the region of the pixels of a mask that are not 0.
func RegionOf(mask []uint8, width int) (r Region) {
	for at := 0; at < len(mask); at += width {
		row := mask[at:min(at+width, len(mask))]
		for x := 0; x < len(row); x++ {
			if row[x] == 0 {
				continue
			}
			first := x
			for x < len(row) && row[x] != 0 {
				x++
			}
			r.add(first, at/width, x-first)
		}
	}
	return r
}

// A Shown is what a picture shows of an object.
type Shown struct {
	Region
	// Runs are lengths of runs of pixels down the columns, from the left one on: other pixels, pixels of the object,
	// and so on in turn. This is the encoding of COCO, not compressed. It is nil for an object without pixels.
	Runs []int
}

// ShownOf returns what a picture shows of each of the objects, whose numbers, from 0, are those of its pixels. Other
// numbers, such as None, are no object.
func ShownOf(numbers []uint32, width, objects int) []Shown {
	shown := make([]Shown, objects)
	ends := make([]int, objects) // of the last run of each object
	height := len(numbers) / max(width, 1)
	for x := range width {
		for y := 0; y < height; {
			n := numbers[y*width+x]
			first := y
			for y < height && numbers[y*width+x] == n {
				y++
			}
			if n >= uint32(objects) {
				continue
			}
			s := &shown[n]
			s.add(x, first, 1) // a column is a run of rows of one pixel
			s.add(x, y-1, 0)
			s.Pixels += y - first - 1
			s.run(x*height+first, y-first, &ends[n])
		}
	}
	for i := range shown {
		if s := &shown[i]; s.Runs != nil && ends[i] < width*height {
			s.Runs = append(s.Runs, width*height-ends[i])
		}
	}
	return shown
}

// run adds a run of pixels of the object that begins somewhere behind the last one.
func (s *Shown) run(first, n int, end *int) {
	if s.Runs != nil && first == *end {
		s.Runs[len(s.Runs)-1] += n
	} else {
		s.Runs = append(s.Runs, first-*end, n)
	}
	*end = first + n
}
