// Writes a zip without compression, with one time for all files, so that its bytes depend on names and contents only.

// 1 January 1980, the first day that a zip can name.
const DATE = 0x21;
const VERSION = 20;
const UTF8_NAMES = 0x800;

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

function record(size, fields) {
  const bytes = Buffer.alloc(size);
  for (const [offset, width, value] of fields) bytes.writeUIntLE(value, offset, width);
  return bytes;
}

// What the header of a file and its entry in the directory have in common, from `at` on.
function common(at, name, content) {
  return [[at, 2, VERSION], [at + 2, 2, UTF8_NAMES], [at + 8, 2, DATE], [at + 10, 4, checksum(content)], [at + 14, 4, content.length],
    [at + 18, 4, content.length], [at + 22, 2, name.length]];
}

// A zip of files, each a name and its content.
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const header = record(30, [[0, 4, 0x04034b50], ...common(4, name, content)]);
    directory.push(record(46, [[0, 4, 0x02014b50], [4, 2, VERSION], ...common(6, name, content), [42, 4, offset]]), name);
    parts.push(header, name, content);
    offset += header.length + name.length + content.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = record(22, [[0, 4, 0x06054b50], [8, 2, files.length], [10, 2, files.length], [12, 4, size], [16, 4, offset]]);
  return Buffer.concat([...parts, ...directory, end]);
}
