package cluster

import "encoding/binary"

// A framePool is the frames that a node has, those to draw first in front. It implements
// overlay.Pool, but for Work: frames are drawn beside the protocol, which goes on meanwhile.
type framePool struct{ frames []int32 }

// Empty implements overlay.Pool.
func (p *framePool) Empty() bool { return len(p.frames) == 0 }

// Amount implements overlay.Pool: frames.
func (p *framePool) Amount() float64 { return float64(len(p.frames)) }

// Split implements overlay.Pool.
func (p *framePool) Split(fraction float64) []byte {
	if fraction >= 1 {
		return p.cut(len(p.frames))
	}
	return p.Take(max(1, int(fraction*float64(len(p.frames)))))
}

// Take implements overlay.Pool. It leaves a frame.
func (p *framePool) Take(units int) []byte { return p.cut(min(units, len(p.frames)-1)) }

// cut removes the last n frames and returns them as a parcel, nil for none.
func (p *framePool) cut(n int) (parcel []byte) {
	if n <= 0 {
		return nil
	}
	at := len(p.frames) - n
	for _, k := range p.frames[at:] {
		parcel = binary.LittleEndian.AppendUint32(parcel, uint32(k))
	}
	p.frames = p.frames[:at]
	return parcel
}

// Merge implements overlay.Pool, for parcels that are valid.
func (p *framePool) Merge(parcel []byte) {
	for ; len(parcel) >= 4; parcel = parcel[4:] {
		p.frames = append(p.frames, int32(binary.LittleEndian.Uint32(parcel)))
	}
}

// Work implements overlay.Pool.
func (p *framePool) Work(int) int { return 0 }

func (p *framePool) pop() (frame int) {
	frame = int(p.frames[0])
	p.frames = p.frames[1:]
	return frame
}

// validParcel reports whether a parcel holds frames of a film of so many.
func validParcel(parcel []byte, frames int) bool {
	if len(parcel)%4 != 0 {
		return false
	}
	for ; len(parcel) > 0; parcel = parcel[4:] {
		if int64(binary.LittleEndian.Uint32(parcel)) >= int64(frames) {
			return false
		}
	}
	return true
}
