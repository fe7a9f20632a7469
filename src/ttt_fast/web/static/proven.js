// A proven player of Connect 4: n-tuples, and exceptions without keys (the format is that of values/proven.py).
// A position is an array of columns; a column lists the seats (1 or 2) of its stones from the bottom.

const KINDS = { i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array };

/** Return the numbers that base64 text holds, little-endian. */
function unpacked({ type, base64 }) {
  return new KINDS[type](Uint8Array.from(atob(base64), (symbol) => symbol.charCodeAt(0)).buffer);
}

/** The finaliser of MurmurHash3. */
function finalised(word) {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A 32-bit hash of a key, a BigInt of 64 bits. */
function hash(key, seed) {
  const [low, high] = [Number(key & 0xffffffffn), Number(key >> 32n)];
  return finalised(finalised(low ^ Math.imul(seed, 0x9e3779b1)) ^ high);
}

/** The value of a key in a static function of bit planes. */
function stored(planes, bits, [k, segments, seed], key) {
  const [second, third] = [hash(key, seed + 1), hash(key, seed + 2)];
  const base = Math.floor((hash(key, seed) * (segments - 3)) / 2 ** 32); // exact: below 2 ** 53
  const width = planes.length / bits;
  let value = 0;
  [second, second >>> 16, third, third >>> 16].forEach((offset, place) => {
    const slot = (base + place) * 2 ** k + (offset & (2 ** k - 1));
    for (let bit = 0; bit < bits; bit++) value ^= ((planes[bit * width + (slot >> 3)] >> (slot & 7)) & 1) << bit;
  });
  return value;
}

/** The places [column, row] of the lines through the highest stone of a column; none if they are too short. */
export function winningCells(columns, column, length) {
  const row = columns[column].length - 1;
  const seat = columns[column][row];
  return [[0, 1], [1, 0], [1, 1], [1, -1]].flatMap(([across, up]) => {
    const run = [[column, row]];
    for (const sign of [1, -1]) {
      for (let step = sign; columns[column + step * across]?.[row + step * up] === seat; step += sign) {
        run.push([column + step * across, row + step * up]);
      }
    }
    return run.length >= length ? run : [];
  });
}

export class ProvenPlayer {
  constructor(data) {
    [this.width, this.rows, this.length, this.seat] = unpacked(data.board);
    this.tuples = unpacked(data.tuples);
    this.cells = data.cells; // of a tuple
    this.bits = data.bits; // of a fingerprint
    this.weights = unpacked(data.weights);
    this.filter = unpacked(data.filter);
    this.exceptions = unpacked(data.columns);
    const shape = unpacked(data.shape);
    this.shapes = [[...shape.slice(0, 3)], [...shape.slice(3)]];
    const away = (column) => Math.abs(column - Math.floor(this.width / 2));
    this.order = [...Array(this.width).keys()].sort((one, other) => away(one) - away(other) || one - other);
  }

  /** The key of a position: in each column the own stones, and a bit above the highest stone. */
  key(columns) {
    return columns.reduceRight((key, column) => {
      const part = column.reduce((sum, seat, row) => sum + (seat === this.seat ? 2 ** row : 0), 2 ** column.length);
      return (key << BigInt(this.rows + 1)) | BigInt(part);
    }, 0n);
  }

  /** The value of a board after an own stone. */
  value(columns) {
    const images = [columns, [...columns].reverse()];
    let sum = 0;
    for (let first = 0; first < this.tuples.length; first += this.cells) {
      for (const board of images) {
        let place = 0;
        for (let one = this.cells - 1; one >= 0; one--) {
          const cell = this.tuples[first + one];
          const [column, row] = [board[Math.floor(cell / (this.rows + 1))], cell % (this.rows + 1)];
          const digit = row > column.length ? 0 : row === column.length ? 1 : column[row] === this.seat ? 2 : 3;
          place = 4 * place + digit;
        }
        sum += this.weights[(first / this.cells) * 4 ** this.cells + place];
      }
    }
    return sum;
  }

  /** The column of an exception, -1 if there is none. */
  exception(key) {
    const [filter, shape] = this.shapes;
    if (shape[1] === 0) return -1;
    const print = hash(key, 2 ** 30) & (2 ** this.bits - 1);
    if (this.bits > 0 && stored(this.filter, this.bits, filter, key) !== print) return -1;
    return stored(this.exceptions, 3, shape, key);
  }

  /** The column that the player plays in an ongoing position in which its seat is to move. */
  choose(columns) {
    const image = [...columns].reverse();
    const key = this.key(columns);
    if (this.key(image) < key) return this.width - 1 - this.choose(image);
    const free = this.order.filter((column) => columns[column].length < this.rows);
    const after = (chosen) => columns.map((one, column) => (column === chosen ? [...one, this.seat] : one));
    const winning = free.find((column) => winningCells(after(column), column, this.length).length > 0);
    if (winning !== undefined) return winning;
    const exception = this.exception(key);
    if (free.includes(exception)) return exception;
    const values = free.map((column) => this.value(after(column)));
    return free[values.indexOf(Math.max(...values))];
  }
}
