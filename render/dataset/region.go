package dataset

// None is the number of a pixel that shows no object.
const None = 1<<32 - 1

// A Region is the number of an object's pixels in a picture, and the smallest box that contains them.
type Region struct {
	X, Y, Width, Height int
	Pixels              int
}

// addPixels adds a run of n pixels of row y to the region. The run starts at column x.
func (r *Region) addPixels(x, y, n int) {
	if r.Pixels == 0 {
		*r = Region{x, y, n, 1, n}
		return
	}
	right, bottom := max(r.X+r.Width, x+n), max(r.Y+r.Height, y+1)
	r.X, r.Y = min(r.X, x), min(r.Y, y)
	r.Width, r.Height = right-r.X, bottom-r.Y
	r.Pixels += n
}

// box returns left, top, width and height in the form of the files. All four are -1 if the region has no pixels.
func (r *Region) box() [4]int {
	if r.Pixels == 0 {
		return [4]int{-1, -1, -1, -1}
	}
	return [4]int{r.X, r.Y, r.Width, r.Height}
}

// RegionOf returns the region of the pixels of mask that are not 0. Rows have width pixels.
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
			r.addPixels(first, at/width, x-first)
		}
	}
	return r
}

// A Shown describes the pixels of a picture that show an object.
type Shown struct {
	Region
	// Runs is COCO's uncompressed run-length encoding. It counts pixels column by column, from the left: first pixels
	// before the object, then pixels of the object, then others, and so on in turn. It is nil for an object without
	// pixels.
	Runs []int
}

// ShownOf returns the pixels that show each object. For each pixel, numbers holds the number of its object, from 0 to
// objects-1. Other numbers, such as None, mean no object.
func ShownOf(numbers []uint32, width, objects int) []Shown {
	shown := make([]Shown, objects)
	ends := make([]int, objects) // for each object, the number of the pixel after its last run
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
			s.addPixels(x, first, 1) // the first and the last pixel of the run determine the box
			s.addPixels(x, y-1, 0)
			s.Pixels += y - first - 1
			s.addRun(x*height+first, y-first, &ends[n])
		}
	}
	for i := range shown {
		if s := &shown[i]; s.Runs != nil && ends[i] < width*height {
			s.Runs = append(s.Runs, width*height-ends[i])
		}
	}
	return shown
}

// addRun adds a run of n pixels of the object that starts at pixel number first. *end is the pixel after the previous
// run.
func (s *Shown) addRun(first, n int, end *int) {
	if s.Runs != nil && first == *end {
		s.Runs[len(s.Runs)-1] += n
	} else {
		s.Runs = append(s.Runs, first-*end, n)
	}
	*end = first + n
}
