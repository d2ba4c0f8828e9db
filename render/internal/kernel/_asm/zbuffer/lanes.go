package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// minNearness is kernel.MinNearness, the smallest normal float32.
const minNearness = U32(0x00800000)

// column loads the base of a slice of the spans.
func column(name string) reg.GPVirtual {
	return Load(Param(name).Base(), GP64()).(reg.GPVirtual)
}

// argument is where an argument lies.
func argument(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// vec is a register of the batch's lanes.
func (z *zbuffer) vec() reg.VecVirtual {
	if z.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// constants holds the constants that are in memory already.
var constants = map[Constant]Mem{}

// fill fills a register with a constant.
func (z *zbuffer) fill(c Constant) reg.VecVirtual {
	m, ok := constants[c]
	if !ok {
		m = ConstData(fmt.Sprintf("constant%d", len(constants)), c)
		constants[c] = m
	}
	return z.broadcast(m)
}

// table begins a table of one twin.
func table(name, twin string) Mem { return GLOBL(name+"Of"+twin, RODATA|NOPTR) }

// int fills a register with a number.
func (z *zbuffer) int(n int32) reg.VecVirtual { return z.fill(U32(uint32(n))) }

func (z *zbuffer) broadcast(m Mem) reg.VecVirtual {
	v := z.vec()
	VPBROADCASTD(m, v)
	return v
}

func (z *zbuffer) broadcastRegister(r reg.GPVirtual) reg.VecVirtual {
	v := z.vec()
	if z.lanes == 16 {
		VPBROADCASTD(r.As32(), v)
	} else {
		x := XMM()
		VMOVD(r.As32(), x)
		VPBROADCASTD(x, v)
	}
	return v
}

func (z *zbuffer) addInts(a, b, sum reg.VecVirtual) { VPADDD(a, b, sum) }

// values loads a vector of numbers.
func (z *zbuffer) values(name string, places []int, value func(int) Constant) reg.VecVirtual {
	m, v := table(name, z.name), z.vec()
	for i, k := range places {
		DATA(4*i, value(k))
	}
	VMOVUPS(m, v)
	return v
}

func asInt(k int) Constant   { return U32(uint32(int32(k))) }
func asFloat(k int) Constant { return F32(float32(k)) }

func (z *zbuffer) store(v reg.VecVirtual, to Mem) { VMOVUPS(v, to) }

// mask selects lanes of a batch, in a mask register or by all bits of a lane.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// lanesBelow selects the first n lanes, or all.
func (z *zbuffer) lanesBelow(n reg.GPVirtual) (m mask) {
	all, lanes := GP64(), GP64()
	if z.lanes == 16 {
		m.k = K()
		MOVL(I32(-1), all.As32())
		BZHIL(n.As32(), all.As32(), lanes.As32())
		CMPQ(n, Imm(32)) // as many as there are bits in an operand
		CMOVQGE(all, lanes)
		KMOVW(lanes.As32(), m.k)
		return m
	}
	t := table("masks", z.name)
	for i := range 2 * z.lanes {
		DATA(4*i, I32(i/z.lanes-1))
	}
	MOVL(U32(uint32(z.lanes)), lanes.As32())
	CMPQ(n, lanes)
	CMOVQLT(n, lanes)
	NEGQ(lanes)
	LEAQ(t, all)
	m.v = z.vec()
	VMOVUPS(Mem{Base: all, Index: lanes, Scale: 4, Disp: 4 * z.lanes}, m.v)
	return m
}

// load loads the lanes of a mask from the batch's part of a column; others are 0.
func (z *zbuffer) load(column reg.GPVirtual, m mask) reg.VecVirtual {
	v, from := z.vec(), Mem{Base: column, Index: z.i, Scale: 4}
	if z.lanes == 16 {
		VMOVDQU32_Z(from, m.k, v)
	} else {
		VPMASKMOVD(from, m.v, v)
	}
	return v
}

// complement inverts all bits.
func (z *zbuffer) complement(v reg.VecVirtual) reg.VecVirtual {
	c := z.int(-1)
	if z.lanes == 16 {
		VPXORD(v, c, c)
	} else {
		VPXOR(v, c, c)
	}
	return c
}

// above returns a bit for every lane in which a is larger than b.
func (z *zbuffer) above(a, b reg.VecVirtual) reg.GPVirtual {
	bits := GP32()
	if z.lanes == 16 {
		k := K()
		VPCMPD(Imm(6), b, a, k)
		KMOVW(k, bits)
		return bits
	}
	larger := z.vec()
	VPCMPGTD(b, a, larger)
	VMOVMSKPS(larger, bits)
	return bits
}

// differ returns a bit for every lane in which a is not b.
func (z *zbuffer) differ(a, b reg.VecVirtual) reg.GPVirtual {
	bits := GP32()
	if z.lanes == 16 {
		k := K()
		VPCMPD(Imm(4), b, a, k)
		KMOVW(k, bits)
		return bits
	}
	same := z.vec()
	VPCMPEQD(b, a, same)
	VMOVMSKPS(same, bits)
	XORL(U32(uint32(1<<z.lanes-1)), bits)
	return bits
}
