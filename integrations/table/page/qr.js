// QR codes (ISO/IEC 18004) of texts of up to 858 bytes: byte mode, error correction level L, versions 1 to 20.

// Of each version: the bytes of error correction in a block, and the number of blocks.
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

// The finite field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
function multiply(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

function divisor(degree) {
  const result = new Array(degree).fill(0);
  result[degree - 1] = 1;
  for (let i = 0, root = 1; i < degree; i++, root = multiply(root, 2)) {
    for (let j = 0; j < degree; j++) {
      result[j] = multiply(result[j], root);
      if (j + 1 < degree) result[j] ^= result[j + 1];
    }
  }
  return result;
}

function remainder(data, by) {
  const result = by.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ result.shift();
    result.push(0);
    by.forEach((part, i) => { result[i] ^= multiply(part, factor); });
  }
  return result;
}

// The centres of the small squares, in both directions.
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = [6];
  for (let place = version * 4 + 10; places.length < count; place -= step) places.splice(1, 0, place);
  return places;
}

// The modules that hold data, of those that are no pattern.
function capacity(version) {
  let modules = (16 * version + 128) * version + 64;
  if (version > 1) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
    if (version > 6) modules -= 36;
  }
  return Math.floor(modules / 8);
}

const room = (version) => capacity(version) - CORRECTION[version - 1] * BLOCKS[version - 1];
const countBits = (version) => (version < 10 ? 8 : 16);

// The text as bytes of a version: mode, length, text, end, padding.
function message(bytes, version) {
  const bits = [];
  const push = (value, length) => { for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1); };
  push(4, 4);
  push(bytes.length, countBits(version));
  for (const byte of bytes) push(byte, 8);
  const most = room(version) * 8;
  push(0, Math.min(4, most - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < most; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, i) => bits.slice(i * 8, i * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
}

// Splits the data into blocks, and takes a byte of each in turn: the data first, then the correction.
function interleaved(data, version) {
  const [count, length, total] = [BLOCKS[version - 1], CORRECTION[version - 1], capacity(version)];
  const short = Math.floor(total / count) - length;
  const shorts = count - (total % count);
  const by = divisor(length);
  const blocks = [];
  for (let i = 0, at = 0; i < count; i++) {
    const part = data.slice(at, (at += short + (i < shorts ? 0 : 1)));
    blocks.push({ part, check: remainder(part, by) });
  }
  const result = [];
  for (let i = 0; i <= short; i++) for (const { part } of blocks) if (i < part.length) result.push(part[i]);
  for (let i = 0; i < length; i++) for (const { check } of blocks) result.push(check[i]);
  return result;
}

const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

class Grid {
  constructor(version) {
    this.version = version;
    this.size = version * 4 + 17;
    this.dark = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
  }

  set(x, y, dark) {
    this.dark[y][x] = Boolean(dark);
    this.fixed[y][x] = true;
  }

  square(cx, cy, radius, isDark) {
    for (let y = Math.max(0, cy - radius); y <= Math.min(this.size - 1, cy + radius); y++) {
      for (let x = Math.max(0, cx - radius); x <= Math.min(this.size - 1, cx + radius); x++) {
        this.set(x, y, isDark(Math.max(Math.abs(x - cx), Math.abs(y - cy))));
      }
    }
  }

  patterns() {
    const { size, version } = this;
    for (let i = 0; i < size; i++) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) this.square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
    const places = alignments(version);
    const last = places.length - 1;
    places.forEach((x, i) => places.forEach((y, j) => {
      const isCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isCorner) this.square(x, y, 2, (ring) => ring !== 1);
    }));
    this.format(0);
    this.versionBits();
  }

  // The mask and the level, twice.
  format(mask) {
    const { size } = this;
    const data = 8 | mask;
    let rest = data;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (i) => (bits >> i) & 1;
    for (let i = 0; i <= 5; i++) this.set(8, i, bit(i));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.set(8, size - 15 + i, bit(i));
    this.set(8, size - 8, true);
  }

  versionBits() {
    if (this.version < 7) return;
    let rest = this.version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (this.version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [far, near] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.set(far, near, (bits >> i) & 1);
      this.set(near, far, (bits >> i) & 1);
    }
  }

  // Up and down in pairs of columns, from the right.
  fill(bytes) {
    const { size } = this;
    let at = 0;
    for (let right = size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < size; step++) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x] || at >= bytes.length * 8) continue;
          this.dark[y][x] = ((bytes[at >> 3] >> (7 - (at & 7))) & 1) === 1;
          at++;
        }
      }
    }
  }

  mask(number) {
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) if (!this.fixed[y][x] && MASKS[number](x, y) === 0) this.dark[y][x] = !this.dark[y][x];
    }
  }

  // How hard it is to read: long runs, blocks, shapes like the corners, and too much of one colour.
  penalty() {
    const { size, dark } = this;
    const lines = [...dark, ...dark.map((_, x) => dark.map((line) => line[x]))].map((line) => line.map(Number).join(""));
    let points = 0;
    for (const line of lines) {
      for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
      points += 40 * ((line.match(/(?=00001011101)/g) ?? []).length + (line.match(/(?=10111010000)/g) ?? []).length);
    }
    for (let y = 1; y < size; y++) {
      for (let x = 1; x < size; x++) {
        const same = dark[y][x] === dark[y - 1][x] && dark[y][x] === dark[y][x - 1] && dark[y][x] === dark[y - 1][x - 1];
        if (same) points += 3;
      }
    }
    const share = dark.flat().filter(Boolean).length / (size * size);
    return points + 10 * Math.floor(Math.abs(share - 0.5) * 20);
  }
}

// The rows of the code, true for dark; undefined if the text is too long.
export function qr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  let version = 1;
  while (version <= CORRECTION.length && room(version) * 8 < 4 + countBits(version) + bytes.length * 8) version++;
  if (version > CORRECTION.length) return undefined;
  const grid = new Grid(version);
  grid.patterns();
  grid.fill(interleaved(message(bytes, version), version));
  const rated = MASKS.map((_, number) => {
    grid.mask(number);
    grid.format(number);
    const points = grid.penalty();
    grid.mask(number);
    return { number, points };
  });
  const { number } = rated.reduce((best, one) => (one.points < best.points ? one : best));
  grid.mask(number);
  grid.format(number);
  return grid.dark;
}
