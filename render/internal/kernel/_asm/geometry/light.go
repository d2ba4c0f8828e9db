package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// intensity emits the code of View.intensity. It comes last because registers are free when the corners on the screen
// have been stored.
func (l *loop) intensity(q [3][3]Kept) Vec {
	var u, w, toEye [3]Vec
	for a := range 3 {
		u[a] = l.Sub(l.Again(q[1][a]), l.Use(q[0][a]))
		w[a] = l.Sub(l.Again(q[2][a]), l.Use(q[0][a]))
	}
	normal := l.cross(u, w)
	for a, eye := range []string{"eyeX", "eyeY", "eyeZ"} {
		toEye[a] = l.Broadcast(l.Scalar(eye))
	}
	l.CMPL(l.Arg("orthographic"), operand.Imm(0))
	l.JNE(operand.LabelRef("towards_eye"))
	for a, eye := range toEye {
		l.Into(eye).Sub(eye, l.Add(l.Add(l.Again(q[0][a]), l.Use(q[1][a])), l.Use(q[2][a])))
	}
	l.Label("towards_eye")
	size := l.Sqrt(l.Mul(l.dot(normal, normal), l.dot(toEye, toEye)))
	towards := l.And(l.dot(normal, toEye), l.Constant("sizeBits", operand.U32(0x7fffffff)))
	// For NaN, which is 0/0, Max returns its second operand.
	cos := l.Min(l.Max(l.Div(towards, size), l.Zero()), l.Constant("one", operand.F32(1)))
	return l.Add(l.Mul(cos, l.Constant("diffuse", operand.F32(l.GoFloat("Diffuse")))), l.Constant("ambient", operand.F32(l.GoFloat("Ambient"))))
}

func (l *loop) cross(u, w [3]Vec) (n [3]Vec) {
	for a := range n {
		b, c := (a+1)%3, (a+2)%3
		n[a] = l.Sub(l.Mul(u[b], w[c]), l.Mul(u[c], w[b]))
	}
	return n
}

func (l *loop) dot(a, b [3]Vec) Vec {
	return l.Add(l.Add(l.Mul(a[0], b[0]), l.Mul(a[1], b[1])), l.Mul(a[2], b[2]))
}
