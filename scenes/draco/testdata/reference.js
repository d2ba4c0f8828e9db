// Runs Draco's reference coder, the package draco3d of npm, for the tests:
//
//   node reference.js FOLDER
//
// NAME.json becomes NAME.drc; every NAME.drc becomes NAME.out: words of 32 bits, the low byte first: triangles, points,
// attributes; the points of the triangles; then for each attribute its id, its type, its width, and the numbers of all corners of triangles, or of all
// points of a cloud, as floats. What cannot be decoded becomes an empty file.
"use strict";
const fs = require("fs");
const draco = require("draco3d");

function decode(module, from, to) {
  const data = new Int8Array(fs.readFileSync(from));
  const buffer = new module.DecoderBuffer();
  buffer.Init(data, data.length);
  const decoder = new module.Decoder();
  const cloud = decoder.GetEncodedGeometryType(buffer) === module.POINT_CLOUD;
  const mesh = cloud ? new module.PointCloud() : new module.Mesh();
  const status = cloud ? decoder.DecodeBufferToPointCloud(buffer, mesh) : decoder.DecodeBufferToMesh(buffer, mesh);
  if (!status.ok()) {
    fs.writeFileSync(to, "");
    return;
  }
  const faces = cloud ? 0 : mesh.num_faces();
  let corners = [];
  const face = new module.DracoInt32Array();
  for (let f = 0; f < faces; f++) {
    decoder.GetFaceFromMesh(mesh, f, face);
    corners.push(face.GetValue(0), face.GetValue(1), face.GetValue(2));
  }
  if (cloud) {
    corners = Array.from({length: mesh.num_points()}, (_, i) => i);
  }
  const parts = [Uint32Array.of(faces, mesh.num_points(), mesh.num_attributes()), Uint32Array.from(cloud ? [] : corners)];
  for (let a = 0; a < mesh.num_attributes(); a++) {
    const attribute = decoder.GetAttribute(mesh, a);
    const n = attribute.num_components();
    parts.push(Uint32Array.of(attribute.unique_id(), attribute.attribute_type(), n));
    const all = new module.DracoFloat32Array();
    decoder.GetAttributeFloatForAllPoints(mesh, attribute, all);
    const out = new Float32Array(corners.length * n);
    corners.forEach((point, i) => {
      for (let c = 0; c < n; c++) {
        out[i * n + c] = all.GetValue(point * n + c);
      }
    });
    parts.push(out);
  }
  fs.writeFileSync(to, Buffer.concat(parts.map((p) => Buffer.from(p.buffer))));
  [mesh, decoder, buffer].forEach((o) => module.destroy(o));
}

// encode reads {speed, bits: {TYPE: n}, faces: [...], points, attributes: [{type, kind, width, values}]}, where TYPE is the
// name of a type of attributes and kind the letter of an array. faces is null in a cloud of points.
function encode(module, from, to) {
  const job = JSON.parse(fs.readFileSync(from, "utf8"));
  const builder = job.faces ? new module.MeshBuilder() : new module.PointCloudBuilder();
  const mesh = job.faces ? new module.Mesh() : new module.PointCloud();
  const encoder = new module.Encoder();
  if (job.faces) {
    builder.AddFacesToMesh(mesh, job.faces.length / 3, new Uint32Array(job.faces));
  }
  for (const a of job.attributes) {
    const [array, name] = {
      f: [Float32Array, "Float"], b: [Uint8Array, "UInt8"], s: [Uint16Array, "UInt16"], u: [Uint32Array, "UInt32"],
      c: [Int8Array, "Int8"], h: [Int16Array, "Int16"], i: [Int32Array, "Int32"],
    }[a.kind];
    const id = builder["Add" + name + "Attribute"](mesh, module[a.type], job.points, a.width, new array(a.values));
    if (id < 0) throw new Error("attribute " + a.type);
  }
  for (const [type, bits] of Object.entries(job.bits || {})) {
    encoder.SetAttributeQuantization(module[type], bits);
  }
  encoder.SetSpeedOptions(job.speed, job.speed);
  const out = new module.DracoInt8Array();
  const n = job.faces ? encoder.EncodeMeshToDracoBuffer(mesh, out) : encoder.EncodePointCloudToDracoBuffer(mesh, false, out);
  if (n <= 0) throw new Error("not encoded: " + from);
  const data = Buffer.alloc(n);
  for (let i = 0; i < n; i++) {
    data[i] = out.GetValue(i);
  }
  fs.writeFileSync(to, data);
}

async function main(folder) {
  const encoder = await draco.createEncoderModule({});
  const decoder = await draco.createDecoderModule({});
  const all = (end) => fs.readdirSync(folder).filter((n) => n.endsWith(end)).map((n) => folder + "/" + n.slice(0, -end.length));
  all(".json").forEach((n) => encode(encoder, n + ".json", n + ".drc"));
  all(".drc").forEach((n) => decode(decoder, n + ".drc", n + ".out"));
}

main(process.argv[2]).catch((e) => {
  console.error(e);
  process.exit(1);
});
