"""Writes meshes by VTK, meshio, Gmsh and assimp, and what is in them, for TestForeignWriters.

/usr/bin/python3 foreign.py FOLDER [MESH.ply...]

Each MESH is a binary PLY file of triangles that `render convert` wrote. The modules and programs are those of Debian's
python3-vtk9, python3-meshio, gmsh and assimp-utils. Without a MESH the volumes are written.
"""
import json
import os
import subprocess
import sys

import meshio
import numpy as np
import vtk
from meshio.gmsh.common import _gmsh_to_meshio_order
from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy

PARTS = {2: "x y", 3: "x y z", 6: "xx yy zz xy yz xz", 9: "xx xy xz yx yy yz zx zy zz"}
FOLDER = sys.argv[1]
INDEX = open(os.path.join(FOLDER, "index.jsonl"), "a")


def read_ply(path):
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(b"end_header\n") + 11
    kinds = {"float": "<f4", "double": "<f8", "uchar": "u1"}
    rows = []
    for line in data[:at].decode().split("\n"):
        words = line.split()
        if words[:1] == ["element"]:
            rows.append((int(words[2]), []))
        elif words[:2] == ["property", "list"]:
            rows[-1][1].extend([("count", "u1"), ("of", "<u4", 3)])
        elif words[:1] == ["property"]:
            rows[-1][1].append((words[2], kinds[words[1]]))
    vertices = np.frombuffer(data, np.dtype(rows[0][1]), rows[0][0], at)
    faces = np.frombuffer(data, np.dtype(rows[1][1]), rows[1][0], at + vertices.nbytes)
    assert (faces["count"] == 3).all()
    return np.stack([vertices[a] for a in "xyz"], 1).astype(np.float32), faces["of"].astype(np.int64)


def columns(fields, n):
    """The fields that a reader should have: the length of vectors, and each of their components."""
    out = {}
    for name, a in fields.items():
        a = np.asarray(a).astype(np.float32)
        if a.ndim == 1:
            out[name] = a
            continue
        k = a.shape[1]
        total = np.zeros(n)
        for i in range(k):
            total = total + a[:, i].astype(np.float64) ** 2
        out[name] = np.sqrt(total).astype(np.float32)
        names = PARTS[k].split() if k in PARTS else map(str, range(k))
        for i, part in enumerate(names):
            out[name + ":" + part] = a[:, i]
    return out


def want(name, points, ends, corners, point_fields, face_fields, oriented=True):
    """Writes what should be drawn."""
    points = np.asarray(points, np.float64)
    pf, ff = columns(point_fields, len(points)), columns(face_fields, len(ends))
    head = {"points": len(points), "faces": len(ends), "corners": len(corners), "pointFields": list(pf),
            "faceFields": list(ff), "oriented": oriented}
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(json.dumps(head).encode() + b"\n")
        for a, t in [(points, "<f8"), (ends, "<u4"), (corners, "<u4")] + [(a, "<f4") for a in (*pf.values(), *ff.values())]:
            f.write(np.ascontiguousarray(a).astype(t).tobytes())
    return name


def emit(file, of, writer, form, mesh, fields=True, tolerance=0, ordered=False):
    print(json.dumps({"file": file, "want": of, "writer": writer, "form": form, "mesh": mesh, "fields": fields,
                      "tolerance": tolerance, "ordered": ordered}), file=INDEX, flush=True)


def want_of_vtk(name, data, oriented=True, filter=vtk.vtkDataSetSurfaceFilter):
    """Writes what VTK makes of a data set: the outer faces, with the fields of points and cells."""
    surface = data
    if not data.IsA("vtkPolyData"):
        filter = filter()
        filter.SetInputData(data)
        filter.SetNonlinearSubdivisionLevel(0)
        filter.Update()
        surface = filter.GetOutput()
    points = vtk_to_numpy(surface.GetPoints().GetData())
    polys = surface.GetPolys()
    ends, corners = vtk_to_numpy(polys.GetOffsetsArray())[1:], vtk_to_numpy(polys.GetConnectivityArray())
    skip = surface.GetNumberOfVerts() + surface.GetNumberOfLines()

    def arrays(of, first):
        out = {}
        for i in range(of.GetNumberOfArrays()):
            a = of.GetArray(i)
            if a is not None and a.GetName() and "Original" not in a.GetName() and "Ghost" not in a.GetName():
                out[a.GetName()] = vtk_to_numpy(a)[first:]
        return out

    return want(name, points, ends, corners, arrays(surface.GetPointData(), 0), arrays(surface.GetCellData(), skip),
                oriented)


def fields_of(points, faces):
    p = points.astype(np.float64)
    n, m = len(p), len(faces)
    size = np.ptp(p, axis=0).max()
    unit = (p - p.min(axis=0)) / size
    point_fields = {
        "temperature": (300 + 100 * np.sin(7 * unit[:, 0]) * unit[:, 2]).astype(np.float32),
        "pressure": 1e5 * unit[:, 1] ** 2 - 1.25e-7,
        "id": np.arange(n, dtype=np.int32) - 5,
        "long": np.arange(n, dtype=np.int64) * 1000003,
        "level": (np.arange(n) % 251).astype(np.uint8),
        "velocity": np.cross(unit, [0.0, 1.0, 2.0]).astype(np.float32),
    }
    face_fields = {
        "quality": np.abs(np.sin(np.arange(m) * 0.37)),
        "heat flux, W/m2 (50%)": np.arange(m)[::-1].astype(np.float32) / 3,
        "part": (np.arange(m) % 7).astype(np.int32),
        "force": np.stack([np.cos(np.arange(m) * 0.1), np.sin(np.arange(m) * 0.1), np.arange(m) / m], 1),
    }
    return point_fields, face_fields


def add_arrays(data, fields):
    for name, a in fields.items():
        v = numpy_to_vtk(np.ascontiguousarray(a), deep=1)
        v.SetName(name)
        data.AddArray(v)


def poly_data(points, faces, point_fields, face_fields, kind=vtk.vtkPolyData):
    data = kind()
    places = vtk.vtkPoints()
    places.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=1))
    data.SetPoints(places)
    cells = vtk.vtkCellArray()
    cells.SetData(3, numpy_to_vtkIdTypeArray(np.ascontiguousarray(faces).ravel(), deep=1))
    if kind is vtk.vtkPolyData:
        data.SetPolys(cells)
    else:
        data.SetCells(vtk.VTK_TRIANGLE, cells)
    add_arrays(data.GetPointData(), point_fields)
    add_arrays(data.GetCellData(), face_fields)
    return data


def read_back(reader, path):
    reader.SetFileName(path)
    if hasattr(reader, "ReadAllScalarsOn"):
        for what in "Scalars Vectors Normals Tensors Fields".split():
            getattr(reader, f"ReadAll{what}On")()
    reader.Update()
    return reader.GetOutput()


def vtk_legacy(data, mesh, of, kind):
    writer = getattr(vtk, f"vtk{kind}Writer")
    for version in (42, 51):
        for binary in (False, True):
            name = f"{mesh}-{kind}-legacy{version}-{'binary' if binary else 'ascii'}.vtk"
            w, path = writer(), os.path.join(FOLDER, name)
            w.SetFileName(path)
            w.SetInputData(data)
            w.SetFileVersion(version)
            (w.SetFileTypeToBinary if binary else w.SetFileTypeToASCII)()
            assert w.Write()
            w = of
            if not binary:  # its text has fewer digits than the numbers
                w = want_of_vtk(name + ".want", read_back(getattr(vtk, f"vtk{kind}Reader")(), path),
                                bool(data.IsA("vtkPolyData")))
            emit(name, w, "VTK", f"legacy {kind} {version} {'binary' if binary else 'ascii'}", mesh)


def vtk_xml(data, mesh, of, kind, extension):
    forms = [("ascii", "", 64, 0)]
    for mode in ("binary", "raw", "appended64"):
        forms += [(mode, c, bits, big) for c, bits, big in
                  [("", 64, 0), ("zlib", 64, 0), ("lz4", 64, 0), ("zlib", 32, 1), ("", 32, 1)]]
    for mode, compressor, bits, big in forms:
        form = " ".join(filter(None, [kind, mode, compressor, str(bits), "big" if big else ""]))
        name = f"{mesh}-{form.replace(' ', '-')}.{extension}"
        path = os.path.join(FOLDER, name)
        w = getattr(vtk, f"vtkXML{kind}Writer")()
        w.SetFileName(path)
        w.SetInputData(data)
        {"ascii": w.SetDataModeToAscii, "binary": w.SetDataModeToBinary}.get(mode, w.SetDataModeToAppended)()
        w.SetEncodeAppendedData(mode == "appended64")
        {"": w.SetCompressorTypeToNone, "zlib": w.SetCompressorTypeToZLib, "lz4": w.SetCompressorTypeToLZ4}[compressor]()
        (w.SetHeaderTypeToUInt32 if bits == 32 else w.SetHeaderTypeToUInt64)()
        (w.SetByteOrderToBigEndian if big else w.SetByteOrderToLittleEndian)()
        w.SetBlockSize(4096 if compressor == "lz4" else 32768)
        assert w.Write()
        to = of
        if mode == "ascii" and mesh != "blanked":
            to = want_of_vtk(name + ".want", read_back(getattr(vtk, f"vtkXML{kind}Reader")(), path),
                             bool(data.IsA("vtkPolyData")))
        emit(name, to, "VTK", form, mesh)


def vtk_others(data, grid, mesh, of):
    """Pieces, blocks and strips."""
    w = vtk.vtkXMLUnstructuredGridWriter()
    name = f"{mesh}-pieces.vtu"
    w.SetFileName(os.path.join(FOLDER, name))
    w.SetInputData(grid)
    w.SetNumberOfPieces(3)
    assert w.Write()
    back = read_back(vtk.vtkXMLUnstructuredGridReader(), os.path.join(FOLDER, name))  # each piece has all cells
    emit(name, want_of_vtk(name + ".want", back), "VTK", "UnstructuredGrid of 3 pieces", mesh)
    blocks = vtk.vtkMultiBlockDataSet()
    blocks.SetBlock(0, data)
    name = f"{mesh}-blocks.vtm"
    w = vtk.vtkXMLMultiBlockDataWriter()
    w.SetFileName(os.path.join(FOLDER, name))
    w.SetInputData(blocks)
    assert w.Write()
    emit(name, of, "VTK", "MultiBlock", mesh)
    name = f"{mesh}-parallel.pvtp"
    w = vtk.vtkXMLPPolyDataWriter()
    w.SetFileName(os.path.join(FOLDER, name))
    w.SetInputData(data)
    assert w.Write()
    emit(name, of, "VTK", "PPolyData", mesh)
    name = f"{mesh}-parallel.pvtu"
    w = vtk.vtkXMLPUnstructuredGridWriter()
    w.SetFileName(os.path.join(FOLDER, name))
    w.SetInputData(grid)
    assert w.Write()
    emit(name, of, "VTK", "PUnstructuredGrid", mesh)
    name = f"{mesh}-strips.vtp"
    plain = vtk.vtkPolyData()
    plain.DeepCopy(data)
    plain.GetCellData().Initialize()
    stripper = vtk.vtkStripper()
    stripper.SetInputData(plain)
    stripper.Update()
    back = vtk.vtkTriangleFilter()
    back.SetInputData(stripper.GetOutput())
    back.Update()
    w = vtk.vtkXMLPolyDataWriter()
    w.SetFileName(os.path.join(FOLDER, name))
    w.SetInputData(stripper.GetOutput())
    assert w.Write()
    emit(name, want_of_vtk(name + ".want", back.GetOutput()), "VTK", "PolyData of strips", mesh)


def by_meshio(points, faces, pf, ff, mesh, plain):
    ff = {k: v for k, v in ff.items() if " " not in k}  # which it changes
    of = want(f"{mesh}-meshio.want", points, 3 * (np.arange(len(faces)) + 1), faces.ravel(), pf, ff)
    m = meshio.Mesh(points, [("triangle", faces)], point_data=pf, cell_data={k: [v] for k, v in ff.items()})
    bare = meshio.Mesh(points, [("triangle", faces)])
    scalars = meshio.Mesh(points, [("triangle", faces)],
                          point_data={k: v for k, v in pf.items() if v.ndim == 1 and v.dtype != np.int64})
    doubles = meshio.Mesh(points.astype(np.float64), [("triangle", faces)],
                          point_data={k: np.asarray(v, np.float64) for k, v in pf.items()},
                          cell_data={k: [np.asarray(v, np.float64)] for k, v in ff.items()})
    ply_of = want(f"{mesh}-ply.want", points, 3 * (np.arange(len(faces)) + 1), faces.ravel(), scalars.point_data, {})
    forms = [(m, "vtk42", "vtk", {"binary": b}, of) for b in (False, True)]
    forms += [(m, "vtk51", "vtk", {"binary": b}, of) for b in (False, True)]
    forms += [(m, "vtu", "vtu", {"binary": False}, of), (m, "vtu", "vtu", {"compression": None}, of),
              (m, "vtu", "vtu", {"compression": "zlib"}, of)]
    forms += [(doubles, f, "msh", {"binary": b, "float_fmt": ".17g"}, of) for f in ("gmsh22", "gmsh") for b in (False, True)]
    forms += [(scalars, "ply", "ply", {"binary": b}, ply_of) for b in (False, True)]
    forms += [(bare, "stl", "stl", {"binary": b}, plain) for b in (False, True)]
    forms += [(bare, "obj", "obj", {}, plain), (bare, "off", "off", {}, plain)]
    for data, form, extension, options, to in forms:
        said = form + " " + " ".join(f"{k}={v}" for k, v in options.items() if k != "float_fmt")
        name = f"{mesh}-meshio-{said.replace(' ', '-')}.{extension}"
        try:
            meshio.write(os.path.join(FOLDER, name), data, form, **options)
        except (Exception, SystemExit) as e:
            print("meshio cannot write", name, repr(e), file=sys.stderr)
            continue
        if said == "vtu binary=False":  # its text has fewer digits than the numbers
            to = want_of_vtk(name + ".want", read_back(vtk.vtkXMLUnstructuredGridReader(), os.path.join(FOLDER, name)))
        emit(name, to, "meshio", said.strip(), mesh)


def by_programs(points, faces, mesh, plain):
    ply, stl = os.path.join(FOLDER, mesh + "-in.ply"), os.path.join(FOLDER, mesh + "-in.stl")
    bare = meshio.Mesh(points, [("triangle", faces)])
    meshio.write(ply, bare, "ply", binary=True)
    meshio.write(stl, bare, "stl", binary=True)
    for form, extension, options in [("msh22", "msh", []), ("msh22", "msh", ["-bin"]), ("msh41", "msh", []),
                                     ("msh41", "msh", ["-bin"]), ("vtk", "vtk", []), ("vtk", "vtk", ["-bin"]),
                                     ("wrl", "wrl", []), ("stl", "stl", []), ("stl", "stl", ["-bin"]), ("ply2", "ply", []),
                                     ("x3d", "x3d", []), ("off", "off", [])]:
        name = f"{mesh}-gmsh-{form}{'-bin' if options else ''}.{extension}"
        path = os.path.join(FOLDER, name)
        done = subprocess.run(["gmsh", ply, "-0", "-save_all", "-format", form, "-o", path, *options],
                              capture_output=True, text=True, check=False)
        if not os.path.exists(path) or os.path.getsize(path) < 100:
            print("gmsh cannot write", name, done.stderr[-200:].strip(), file=sys.stderr)
            continue
        emit(name, plain, "gmsh", form + (" binary" if options else ""), mesh, False, 2e-5 if form == "x3d" else 1e-6, True)
    for form, extension in [("collada", "dae"), ("3ds", "3ds"), ("x3d", "x3d"), ("fbx", "fbx"), ("fbxa", "fbx"),
                            ("gltf2", "gltf"), ("glb2", "glb"), ("obj", "obj"), ("stl", "stl"), ("stlb", "stl"),
                            ("ply", "ply"), ("plyb", "ply"), ("3mf", "3mf")]:
        name = f"{mesh}-assimp-{form}.{extension}"
        path = os.path.join(FOLDER, name)
        source = ply if form != "3mf" else os.path.join(FOLDER, f"{mesh}-assimp-obj.obj")  # of PLY it writes no object
        done = subprocess.run(["assimp", "export", source, path, "-f" + form], capture_output=True, text=True, check=False)
        if not os.path.exists(path):
            print("assimp cannot write", name, done.stdout[-200:].strip(), file=sys.stderr)
            continue
        emit(name, plain, "assimp", form, mesh, False, 2e-5 if form in ("x3d", "3mf", "fbxa") else 1e-6, True)
    os.remove(ply)
    os.remove(stl)


def surface(path):
    mesh = os.path.splitext(os.path.basename(path))[0]
    points, faces = read_ply(path)
    pf, ff = fields_of(points, faces)
    ends = 3 * (np.arange(len(faces)) + 1)
    of = want(mesh + ".want", points, ends, faces.ravel(), pf, ff)
    plain = want(mesh + "-plain.want", points, ends, faces.ravel(), {}, {})
    data = poly_data(points, faces, pf, ff)
    grid = poly_data(points, faces, pf, ff, vtk.vtkUnstructuredGrid)
    vtk_legacy(data, mesh, of, "PolyData")
    vtk_legacy(grid, mesh, of, "UnstructuredGrid")
    vtk_xml(data, mesh, of, "PolyData", "vtp")
    vtk_xml(grid, mesh, of, "UnstructuredGrid", "vtu")
    vtk_others(data, grid, mesh, of)
    by_meshio(points, faces, pf, ff, mesh, plain)
    by_programs(points, faces, mesh, plain)


# Boxes of tetrahedra and of hexahedra, a drum of wedges, a ball and a disk, by Gmsh.
SHAPES = {
    "tets": 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 1, 1.25, 0.75}; Mesh.CharacteristicLengthMax = 0.2;',
    "ball": 'SetFactory("OpenCASCADE"); Sphere(1) = {1, 2, 3, 0.5}; Mesh.CharacteristicLengthMax = 0.2;',
    "hexes": """Point(1) = {0, 0, 0}; l[] = Extrude {1, 0, 0} { Point{1}; Layers{5}; };
s[] = Extrude {0, 1, 0} { Curve{l[1]}; Layers{4}; Recombine; };
v[] = Extrude {0.125, 0, 1} { Surface{s[1]}; Layers{3}; Recombine; };""",
    "wedges": """SetFactory("OpenCASCADE"); Disk(1) = {0, 0, 0, 1}; Mesh.CharacteristicLengthMax = 0.4;
v[] = Extrude {0, 0, 1} { Surface{1}; Layers{4}; Recombine; };""",
    "quads": """SetFactory("OpenCASCADE"); Disk(1) = {0, 0, 0, 1}; Mesh.CharacteristicLengthMax = 0.3;
Mesh.RecombineAll = 1;""",
}


def volumes_of_gmsh():
    for shape, text in SHAPES.items():
        geo = os.path.join(FOLDER, shape + ".geo")
        with open(geo, "w") as f:
            f.write(text + "\n")
        for order, options in [(1, []), (2, []), (2, ["-string", "Mesh.SecondOrderIncomplete=1;"]), (3, [])]:
            mesh = f"{shape}-{order}{'i' if options else ''}"
            back = os.path.join(FOLDER, mesh + "-in.msh")
            make = ["gmsh", geo, "-2" if shape == "quads" else "-3", "-order", str(order), *options, "-save_all", "-format"]
            subprocess.run([*make, "msh22", "-o", back], capture_output=True, check=True)
            grid = grid_of_msh(back, shape == "quads")
            of = want_of_vtk(mesh + "-gmsh.want", grid, False)
            for form in ("msh22", "msh41"):
                for binary in ([], ["-bin"]):
                    name = f"{mesh}-gmsh-{form}{'-bin' if binary else ''}.msh"
                    subprocess.run([*make, form, *binary, "-o", os.path.join(FOLDER, name)], capture_output=True, check=True)
                    emit(name, of, "gmsh", f"volume {form}{' binary' if binary else ''}", mesh, False)
            if order < 3:
                grids(grid, mesh)


# What VTK calls the types of elements of Gmsh, and how many nodes they have there. Others have their corners alone.
TYPES = {2: (5, 3), 3: (9, 4), 4: (10, 4), 5: (12, 8), 6: (13, 6), 7: (14, 5), 9: (22, 6), 10: (28, 9), 11: (24, 10),
         12: (29, 27), 13: (26, 15), 14: (14, 5), 16: (23, 8), 17: (25, 20), 18: (26, 15), 19: (27, 13), 21: (5, 3),
         29: (10, 4), 36: (9, 4), 90: (13, 6), 92: (12, 8), 118: (14, 5)}
NAMES = {24: "tetra10", 25: "hexahedron20", 29: "hexahedron27", 26: "wedge15", 27: "pyramid13"}
FLAT = (5, 9, 22, 23, 28)


def grid_of_msh(path, flat):
    """The volumes, or else the surfaces, of an ASCII file of version 2.2, with fields."""
    with open(path) as f:
        lines = f.read().split("\n")
    start = lines.index("$Nodes") + 2
    rows = [line.split() for line in lines[start:lines.index("$EndNodes")]]
    number = {int(r[0]): i for i, r in enumerate(rows)}
    points = np.array([[float(x) for x in r[1:]] for r in rows])
    grid = vtk.vtkUnstructuredGrid()
    places = vtk.vtkPoints()
    places.SetData(numpy_to_vtk(points, deep=1))
    grid.SetPoints(places)
    for line in lines[lines.index("$Elements") + 2:lines.index("$EndElements")]:
        words = [int(w) for w in line.split()]
        if words[1] not in (1, 8, 15, 26):
            kind, n = TYPES[words[1]]
            if (kind in FLAT) == flat:
                corners = np.array([[number[w] for w in words[3 + words[2]:][:n]]])
                corners = _gmsh_to_meshio_order(NAMES.get(kind, ""), corners)[0]
                grid.InsertNextCell(kind, n, [int(c) for c in corners])
    n = grid.GetNumberOfCells()
    unit = points / np.abs(points).max()
    add_arrays(grid.GetPointData(), {"stress": np.sin(5 * unit[:, 0]) + unit[:, 1], "u": (unit ** 2).astype(np.float32),
                                     "tensor": np.tile(unit, 3)})
    add_arrays(grid.GetCellData(), {"material": (np.arange(n) % 5).astype(np.uint8),
                                    "flow": np.outer(np.arange(n) / n, [1, 2, 3])})
    return grid


def grids(grid, mesh):
    """A grid by all writers of VTK and of meshio."""
    of = want_of_vtk(mesh + "-grid.want", grid, False)
    vtk_legacy(grid, mesh, of, "UnstructuredGrid")
    vtk_xml(grid, mesh, of, "UnstructuredGrid", "vtu")
    name = os.path.join(FOLDER, mesh + "-UnstructuredGrid-legacy42-binary.vtk")
    try:
        m = meshio.read(name)
    except (Exception, SystemExit) as e:
        print("meshio cannot read", name, repr(e), file=sys.stderr)
        return
    for form, extension, options in [("vtk42", "vtk", {"binary": True}), ("vtk51", "vtk", {"binary": True}),
                                     ("vtk51", "vtk", {"binary": False}), ("vtu", "vtu", {"compression": "zlib"}),
                                     ("vtu", "vtu", {"binary": False}), ("gmsh22", "msh", {"binary": False, "float_fmt": ".17g"}),
                                     ("gmsh22", "msh", {"binary": True}), ("gmsh", "msh", {"binary": True})]:
        said = form + " " + " ".join(f"{k}={v}" for k, v in options.items() if k != "float_fmt")
        name = f"{mesh}-meshio-{said.replace(' ', '-')}.{extension}"
        if extension == "msh":
            m.point_data = {k: np.asarray(v, np.float64) for k, v in m.point_data.items()}
            m.cell_data = {k: [np.asarray(a, np.float64) for a in v] for k, v in m.cell_data.items()}
        try:
            meshio.write(os.path.join(FOLDER, name), m, form, **options)
        except (Exception, SystemExit) as e:
            print("meshio cannot write", name, repr(e), file=sys.stderr)
            continue
        emit(name, of, "meshio", "volume " + said, mesh)


def volumes_of_vtk():
    """Each type of cell that VTK makes."""
    for kind in list(range(5, 6)) + [8, 9, 10, 11, 12, 13, 14, 15, 16] + list(range(21, 38)) + list(range(68, 82)):
        source = vtk.vtkCellTypeSource()
        source.SetCellType(kind)
        source.SetCellOrder(3)
        source.SetBlocksDimensions(3, 2, 1 if kind in (15, 16) else 2)  # VTK leaves inner faces of more than 4 corners
        source.Update()
        grid = source.GetOutput()
        if grid.GetNumberOfCells() == 0 or grid.GetCellType(0) != kind or grid.GetCell(0).GetCellDimension() < 2:
            continue
        n = grid.GetNumberOfCells()
        add_arrays(grid.GetCellData(), {"n": np.arange(n, dtype=np.int16)})
        mesh = "type" + str(kind)
        of = want_of_vtk(mesh + "-grid.want", grid, False)
        for writer, name, form in [(vtk.vtkUnstructuredGridWriter(), mesh + ".vtk", "legacy"), (vtk.vtkXMLUnstructuredGridWriter(), mesh + ".vtu", "VTU")]:
            writer.SetFileName(os.path.join(FOLDER, name))
            writer.SetInputData(grid)
            if form == "legacy":
                writer.SetFileTypeToBinary()
            assert writer.Write()
            emit(name, of, "VTK", f"each type of cell, {form}", mesh)


def id_list(of):
    ids = vtk.vtkIdList()
    for i in of:
        ids.InsertNextId(i)
    return ids


def ghosts():
    """Half of a box of tetrahedra, with the cells around it that belong to the other half."""
    points = np.array([[x, y, z] for z in range(4) for y in range(4) for x in range(4)], float)
    source = vtk.vtkUnstructuredGrid()
    places = vtk.vtkPoints()
    places.SetData(numpy_to_vtk(points, deep=1))
    source.SetPoints(places)
    delaunay = vtk.vtkDelaunay3D()
    delaunay.SetInputData(source)
    delaunay.Update()
    grid = delaunay.GetOutput()
    n = grid.GetNumberOfCells()
    sides = np.array([grid.GetCell(c).GetBounds() for c in range(n)])
    add_arrays(grid.GetCellData(), {"n": np.arange(n, dtype=np.float32)})
    # One filter leaves out cells of other pieces, the other one hidden cells.
    for name, kinds, filter in [("duplicates", 1 * (sides[:, 0] >= 2), vtk.vtkGeometryFilter),
                                ("hidden", 32 * (sides[:, 2] >= 2), vtk.vtkDataSetSurfaceFilter)]:
        data = vtk.vtkUnstructuredGrid()
        data.DeepCopy(grid)
        add_arrays(data.GetCellData(), {"vtkGhostType": kinds.astype(np.uint8)})
        w = vtk.vtkXMLUnstructuredGridWriter()
        w.SetFileName(os.path.join(FOLDER, name + ".vtu"))
        w.SetInputData(data)
        assert w.Write()
        emit(name + ".vtu", want_of_vtk(name + ".want", data, False, filter), "VTK", "UnstructuredGrid with ghost cells", name)


def structured():
    wave = vtk.vtkRTAnalyticSource()
    wave.SetWholeExtent(-4, 5, -3, 4, -2, 3)
    wave.Update()
    image = wave.GetOutput()
    image.SetSpacing(0.5, 0.25, 1)
    image.SetOrigin(10, -20, 0.1)
    n = image.GetNumberOfCells()
    add_arrays(image.GetCellData(), {"n": np.arange(n, dtype=np.float32)})
    flat = vtk.vtkImageData()
    flat.SetDimensions(7, 1, 5)
    add_arrays(flat.GetPointData(), {"h": np.arange(35, dtype=np.float32)})
    add_arrays(flat.GetCellData(), {"n": np.arange(24, dtype=np.float32)})
    turned = vtk.vtkImageData()
    turned.DeepCopy(image)
    turned.SetDirectionMatrix(0, -1, 0, 1, 0, 0, 0, 0, 1)
    rect = vtk.vtkRectilinearGrid()
    rect.SetDimensions(4, 5, 3)
    for axis, along in zip("XYZ", ([0, 1, 3, 7], [0, 0.1, 0.5, 2, 2.5], [1, 2, 4])):
        getattr(rect, f"Set{axis}Coordinates")(numpy_to_vtk(np.array(along, float), deep=1))
    add_arrays(rect.GetPointData(), {"p": np.arange(60.0)})
    add_arrays(rect.GetCellData(), {"n": np.arange(24, dtype=np.float32)})
    bent = vtk.vtkStructuredGrid()
    bent.SetDimensions(6, 4, 3)
    i, j, k = (a.ravel(order="F") for a in np.meshgrid(range(6), range(4), range(3), indexing="ij"))
    places = vtk.vtkPoints()
    places.SetData(numpy_to_vtk(np.stack([(3 + j) * np.cos(i / 3), (3 + j) * np.sin(i / 3), k + 0.0], 1), deep=1))
    bent.SetPoints(places)
    add_arrays(bent.GetPointData(), {"p": np.arange(72.0)})
    add_arrays(bent.GetCellData(), {"n": np.arange(30, dtype=np.float32)})
    blanked = vtk.vtkStructuredGrid()
    blanked.DeepCopy(bent)
    blanked.BlankCell(3)
    seen = vtk.vtkExtractCells()  # vtkDataSetSurfaceFilter draws more faces around a hidden cell than it has
    seen.SetInputData(bent)
    seen.SetCellList(id_list(i for i in range(bent.GetNumberOfCells()) if i != 3))
    seen.Update()
    for name, of in (("voxels", image), ("pixels", flat)):
        filter = vtk.vtkAppendFilter()
        filter.SetInputData(of)
        filter.Update()
        grids(filter.GetOutput(), name)
    for mesh, data, legacy, xml, extension in [
            ("image", image, "StructuredPoints", "ImageData", "vti"), ("flat", flat, "StructuredPoints", "ImageData", "vti"),
            ("turned", turned, "", "ImageData", "vti"),
            ("rect", rect, "RectilinearGrid", "RectilinearGrid", "vtr"), ("bent", bent, "StructuredGrid", "StructuredGrid", "vts"),
            ("blanked", blanked, "", "StructuredGrid", "vts")]:
        of = want_of_vtk(mesh + ".want", data if data is not blanked else seen.GetOutput(), False)
        if legacy:
            vtk_legacy(data, mesh, of, legacy)
        vtk_xml(data, mesh, of, xml, extension)


def mixed():
    """A hexahedron with a pyramid on it, a wedge beside it with a tetrahedron, and a quadrangle."""
    grid = vtk.vtkUnstructuredGrid()
    points = vtk.vtkPoints()
    for p in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0.5, 0.5, 2),
              (2, 0, 0), (2, 0, 1), (1.5, 0.5, 2), (3, 0, 0), (4, 0, 0), (4, 0, 1), (3, 0, 1)]:
        points.InsertNextPoint(p)
    grid.SetPoints(points)
    for kind, of in [(vtk.VTK_HEXAHEDRON, range(8)), (vtk.VTK_PYRAMID, (4, 5, 6, 7, 8)), (vtk.VTK_WEDGE, (1, 9, 2, 5, 10, 6)),
                     (vtk.VTK_TETRA, (5, 10, 6, 11)), (vtk.VTK_QUAD, (12, 13, 14, 15))]:
        grid.InsertNextCell(kind, len(of), of)
    add_arrays(grid.GetPointData(), {"p": np.arange(16.0) ** 2})
    add_arrays(grid.GetCellData(), {"n": np.arange(5, dtype=np.int8) - 2})
    grids(grid, "mixed")


def polyhedra():
    grid = vtk.vtkUnstructuredGrid()
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    rng = np.random.default_rng(1)
    for i in range(3):
        source = vtk.vtkPlatonicSolidSource()
        source.SetSolidType(i + 2)
        source.Update()
        solid = source.GetOutput()
        at = points.GetNumberOfPoints()
        for p in range(solid.GetNumberOfPoints()):
            points.InsertNextPoint(np.array(solid.GetPoint(p)) + [3 * i, 0, 0])
        faces = vtk.vtkIdList()
        faces.InsertNextId(solid.GetNumberOfCells())
        for c in range(solid.GetNumberOfCells()):
            ids = solid.GetCell(c).GetPointIds()
            faces.InsertNextId(ids.GetNumberOfIds())
            for k in range(ids.GetNumberOfIds()):
                faces.InsertNextId(at + ids.GetId(k))
        grid.InsertNextCell(vtk.VTK_POLYHEDRON, faces)
        grid.InsertNextCell(vtk.VTK_TETRA, 4, [at, at + 1, at + 2, at + 3])
    grid.SetPoints(points)
    add_arrays(grid.GetPointData(), {"r": rng.random(points.GetNumberOfPoints())})
    add_arrays(grid.GetCellData(), {"n": np.arange(grid.GetNumberOfCells(), dtype=np.float32)})
    of = want_of_vtk("polyhedra.want", grid, False)
    vtk_legacy(grid, "polyhedra", of, "UnstructuredGrid")
    vtk_xml(grid, "polyhedra", of, "UnstructuredGrid", "vtu")


for path in sys.argv[2:]:
    surface(path)
if len(sys.argv) == 2:
    polyhedra()
    mixed()
    structured()
    ghosts()
    volumes_of_vtk()
    volumes_of_gmsh()
