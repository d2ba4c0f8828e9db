package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// loop is the state of the generator while it emits the loop for one instruction set. The sixteen lanes of a group are
// one vector of AVX-512 or two of AVX2.
type loop struct {
	*Lanes
	vectors []*vector

	n                 reg.GPVirtual // number of spans
	iterations, tasks reg.GPVirtual // counts of this call
	count             reg.GPVirtual // number of active lanes

	// With AVX-512, the following values are in registers. AVX2 has too few registers for them.
	out                                     map[string]reg.GPVirtual // addresses of the columns of spans
	zero, width, stride, rowHeight, numbers Vec
	tall                                    reg.GPVirtual // not 0 if events are rare in the group

	// The following are parts of the group's state in memory: the size of a vector's lanes, and scratch memory for
	// spreading rows.
	vectorBytes   int
	scratch       [4]operand.Mem
	columnScratch operand.Mem // scratch memory of solving
	plane         operand.Mem // plane of nearness of the spread polygon: gx, gy, e0; then whether the polygon turns left
}

// emit emits the code of Converter.Run for one instruction set.
func emit(f *File, lanes int) {
	l := &loop{Lanes: f.Function("scanConvert", lanes, "does what Converter.Run does. It can return in any row of a group.")}
	l.Comment("Arguments; rows are counted in iterations of this call from here on.")
	l.newVectors()
	l.n = l.Int("n")
	l.iterations, l.tasks, l.count = l.GP64(), l.GP64(), l.GP64()
	l.XORQ(l.iterations, l.iterations)
	l.XORQ(l.tasks, l.tasks)
	if l.N == AVX512 {
		l.out = make(map[string]reg.GPVirtual)
		for _, name := range spanColumns {
			l.out[name] = l.GP64()
		}
		l.zero, l.width, l.stride, l.rowHeight, l.numbers = l.Vec(), l.Vec(), l.Vec(), l.Vec(), l.Vec()
		l.tall = l.GP32()
	}
	start := l.now()
	l.SUBQ(start, l.Arg("ticks"))
	l.MOVQ(start, l.Arg("began"))
	l.toIterations()
	l.CMPQ(l.Arg("open"), operand.Imm(0))
	l.JEQ(operand.LabelRef("group"))
	l.resume()

	l.Label("group")
	group, left := l.next()
	for i, v := range l.vectors {
		l.Commentf("Set up lanes %d to %d.", i*l.N, (i+1)*l.N-1)
		if i > 0 {
			l.SUBQ(operand.Imm(uint64(l.N)), left)
			l.Forget()
		}
		v.load(group, left)
	}
	l.constants()
	l.begin()
	l.JMP(operand.LabelRef("ended"))

	l.rows()

	l.Label("ended")
	l.countActive()
	l.due()
	l.look()

	l.spread()

	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.Go("Lanes"))), l.Arg("group"))
	l.JMP(operand.LabelRef("group"))
	if l.N == AVX512 {
		l.Label("none")
		l.TESTL(l.tall, l.tall)
		l.JZ(operand.LabelRef("step0"))
		l.skip("step0")
		l.JMP(operand.LabelRef("step0"))
	}
	l.end()
}

var spanColumns = []string{"start", "count", "e", "de", "spanPayload"}

// spans returns the memory of the next spans in a column.
func (l *loop) spans(column string) operand.Mem {
	if l.N == AVX512 {
		return operand.Mem{Base: l.out[column], Index: l.n, Scale: 4}
	}
	return l.At(column, l.n)
}

// resume emits the code that continues a group that was interrupted.
func (l *loop) resume() {
	l.Comment("Go on with the group that was interrupted.")
	for _, v := range l.vectors {
		l.Restore(v.changing...)
		l.RestoreMask(v.active)
	}
	l.constants()
	l.CMPQ(l.Arg("spread"), operand.Imm(0))
	l.JNE(operand.LabelRef("polygon"))
	bits := l.activeBits()
	l.POPCNTL(bits, l.count.As32())
	l.isTall(l.rowsLeft())
	l.JMP(operand.LabelRef("row"))
}

// constants loads constants into their AVX-512 registers. These registers have other uses while a group is set up.
func (l *loop) constants() {
	if l.N == AVX2 {
		return
	}
	for _, name := range spanColumns {
		l.MOVQ(l.Arg(name), l.out[name])
	}
	l.Into(l.zero).Zero()
	l.Into(l.width).Broadcast(l.Scalar("width"))
	l.Into(l.stride).Broadcast(l.Scalar("stride"))
	l.Into(l.rowHeight).BroadcastWide(l.rowHeights())
	l.Into(l.numbers).Numbers()
}

// rowHeights returns the distance between two rows, in subpixels.
func (l *loop) rowHeights() WideScalar { return l.WideConstant("rowHeight", float64(l.Go("Sub"))) }

// either returns an argument in a register. With AVX-512 that is v. With AVX2 it loads the argument into a new
// register.
func (l *loop) either(v Vec, name string) Vec {
	if l.N == AVX512 {
		return v
	}
	return l.Broadcast(l.Scalar(name))
}

// next returns the first polygon of the next group, and the number of polygons left. It jumps to the label done if no
// polygon is left, or if it is time to pause.
func (l *loop) next() (group, left reg.GPVirtual) {
	l.Comment("The next group, unless there is none or it is time to pause.")
	group, left = l.Int("group"), l.Int("polygons")
	l.SUBQ(group, left)
	l.JLE(operand.LabelRef("done"))
	done := l.Int("spreadIterations")
	l.ADDQ(l.iterations, done)
	l.CMPQ(done, l.Arg("pause"))
	l.JG(operand.LabelRef("done"))
	return group, left
}

// rows emits the loop over the rows between two tests of the workload.
func (l *loop) rows() {
	l.Label("row")
	if l.N == AVX2 {
		l.skipAVX2()
	}
	l.Comment("One iteration: a row of every active lane.")
	l.CMPQ(l.n, l.Arg("most"))
	l.JG(operand.LabelRef("interrupt"))
	l.INCQ(l.iterations)
	l.ADDQ(l.count, l.tasks)
	for i, v := range l.vectors {
		step := fmt.Sprint("step", i)
		if l.N == AVX512 {
			v.emit(v.lanes(), "none")
			l.Label(step)
			v.down()
			events := v.events()
			l.TESTL(l.tall, l.tall)
			l.JZ(operand.LabelRef("event"))
			l.JumpIfNone(events, "row")
			l.Label("event")
			v.event(events)
			continue
		}
		idle, active := fmt.Sprint("idle", i), v.lanes()
		l.JumpIfNone(active, idle)
		v.emit(active, step)
		l.Label(step)
		v.down()
		v.eventAVX2(idle)
		l.Label(idle)
	}
}

// end emits the code that saves the state and returns.
func (l *loop) end() {
	l.Label("interrupt")
	l.Comment("Too few spans are free: remember the group.")
	for _, v := range l.vectors {
		l.Save(v.changing...)
		l.SaveMask(v.active)
	}
	l.Label("interrupted")
	l.MOVQ(operand.I32(1), l.Arg("open"))
	l.toRows()
	l.JMP(operand.LabelRef("return"))
	l.Label("done")
	l.MOVQ(operand.I32(0), l.Arg("open"))
	l.Label("return")
	end := l.now()
	l.ADDQ(end, l.Arg("ticks"))
	l.MOVQ(l.iterations, l.Arg("iterations"))
	l.MOVQ(l.tasks, l.Arg("tasks"))
	l.MOVQ(l.n, l.Arg("n"))
	l.Return()
}

// toIterations converts the arguments row and tallest to numbers of iterations. row becomes the iteration at which
// the group started. tallest becomes the iteration at which the tallest polygon ends.
func (l *loop) toIterations() {
	row := l.Int("row")
	l.NEGQ(row)
	l.MOVQ(row, l.Arg("row"))
	l.ADDQ(row, l.Arg("tallest"))
}

// toRows is the inverse of toIterations.
func (l *loop) toRows() {
	row := l.Int("row")
	l.SUBQ(row, l.Arg("tallest"))
	l.NEGQ(row)
	l.ADDQ(l.iterations, row)
	l.MOVQ(row, l.Arg("row"))
}
