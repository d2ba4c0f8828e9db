package array

// maskLanes is the number of lanes of an AVX2 vector. The tables below have an element for each mask of that many
// lanes.
const maskLanes = 8

// These tables are read by the assembly of several packages. Defined in assembly, each would take 256 lines in each
// package.
var (
	// PackedLanes[m] holds the numbers of the lanes that mask m selects, in ascending order from the lowest byte on.
	PackedLanes = packedLanes()
	// LaneCounts holds eight bytes for each mask. The byte of a lane counts the selected lanes up to and including
	// that lane.
	LaneCounts = laneCounts()
)

func packedLanes() (table [1 << maskLanes]uint64) {
	for mask := range table {
		shift := 0
		for lane := range maskLanes {
			if mask>>lane&1 == 1 {
				table[mask] |= uint64(lane) << shift
				shift += 8
			}
		}
	}
	return table
}

func laneCounts() (table [1 << maskLanes]uint64) {
	for mask := range table {
		count := uint64(0)
		for lane := range maskLanes {
			count += uint64(mask >> lane & 1)
			table[mask] |= count << (8 * lane)
		}
	}
	return table
}
