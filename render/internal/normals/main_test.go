package normals

import (
	"testing"

	"lockstep/internal/testheap"
)

func TestMain(m *testing.M) { testheap.Main(m) }
