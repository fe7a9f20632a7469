// A game with a table: states are numbers, 0 is the start.  A game on a server has the same methods (live_game.js).

export const RESULTS = ["", "X has won", "O has won", "a draw"];
export const SEATS = ["", "X", "O"];
const NO_VALUE = -32768;

/** Return the numbers that base64 text holds, as a typed array of the class `kind`. */
function unpacked(text, kind) {
  const bytes = Uint8Array.from(atob(text), (symbol) => symbol.charCodeAt(0));
  return new kind(bytes.buffer); // little-endian, as every browser's machine
}

/** The cells of all runs of equal marks on a board, along rows, columns and diagonals. */
function runsOf(marks, columns) {
  const found = [];
  const rows = marks.length / columns;
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    const next = (cell, step) => {
      const [row, column] = [Math.floor(cell / columns) + step * down, (cell % columns) + step * right];
      return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : -1;
    };
    for (let cell = 0; cell < marks.length; cell++) {
      if (marks[cell] === "." || marks[next(cell, -1)] === marks[cell]) continue;
      const run = [cell];
      while (marks[next(run.at(-1), 1)] === marks[cell]) run.push(next(run.at(-1), 1));
      found.push(run);
    }
  }
  return found;
}

/** The rules, the exact values and the pictures of all positions of one game. */
export class TableGame {
  constructor(data) {
    this.spec = data.game;
    this.shape = data.shape;
    this.moves = data.moves;
    this.boards = data.boards;
    this.ruleNames = data.rule_names;
    const read = { counts: Uint8Array, actions: Uint8Array, children: Uint16Array, status: Uint8Array,
      player: Uint8Array, ply: Uint8Array, value: Int8Array, distance: Uint8Array, representative: Uint16Array };
    for (const [name, kind] of Object.entries(read)) this[name] = unpacked(data[name], kind);
    this.rules = data.rules && unpacked(data.rules, Int8Array);
    this.size = this.counts.length;
    this.start = new Uint32Array(this.size + 1);
    for (let state = 0; state < this.size; state++) this.start[state + 1] = this.start[state] + this.counts[state];
    this.indexOf = new Map(this.boards.map((text, state) => [text, state]));
  }

  get first() { return 0; }

  /** The state of a text, the start where it is none. */
  find(text) { return this.indexOf.get(text) ?? 0; }

  /** The states of a line of play from a state, as far as its moves are legal. */
  line(start, moves) {
    const states = [start];
    for (const action of moves) {
      const next = this.play(states.at(-1), action);
      if (next === null) break;
      states.push(next);
    }
    return states;
  }

  /** Find the exact values of a state's moves; here they are known. */
  solve() {}

  isOver(state) { return this.status[state] !== 0; }
  resultOf(state) { return this.status[state]; }
  moverOf(state) { return this.player[state]; }
  plyOf(state) { return this.ply[state]; }
  textOf(state) { return this.boards[state]; }
  lastOf() { return null; } // a state does not tell which move led to it

  /** The cells of the lines that ended a game; a line has the length of the shortest one that wins anywhere. */
  lineOf(state) {
    if (![1, 2].includes(this.status[state]) || this.shape.kind === "text") return [];
    const runs = (one) => runsOf(this.marks(one), this.shape.columns);
    const longest = (one) => Math.max(...runs(one).map((run) => run.length));
    this.length ??= this.status.reduce((least, status, one) => ([1, 2].includes(status) ? Math.min(least, longest(one)) : least), Infinity);
    return [...new Set(runs(state).filter((run) => run.length >= this.length).flat())];
  }

  /** The legal moves of a state: action, its edge, where it leads, and whether it keeps the exact value. */
  legal(state) {
    const sign = this.player[state] === 1 ? 1 : -1;
    const found = [];
    for (let edge = this.start[state]; edge < this.start[state + 1]; edge++) {
      const child = this.children[edge];
      const value = sign * this.value[child];
      found.push({ edge, child, value, action: this.actions[edge], name: this.moves[this.actions[edge]],
        plies: this.distance[child], regret: sign * this.value[state] - value });
    }
    return found;
  }

  play(state, action) {
    const move = this.legal(state).find((one) => one.action === action);
    return move ? move.child : null;
  }

  ruleOf(state) { return this.rules && this.rules[state] >= 0 ? this.ruleNames[this.rules[state]] : ""; }

  /** The marks of a position, row by row: "X", "O" or "."; nothing where the game has no board of cells. */
  marks(state) {
    if (this.shape.kind === "text") return "";
    return this.boards[state].replaceAll("/", "").toUpperCase();
  }

  /** The value of a position in words, and whether it is exact. */
  verdict(state) {
    return { isExact: true, text: valueText(this.isOver(state), this.status[state], this.value[state], this.distance[state]) };
  }
}

/** The value of a position in words: its result if the game is over, else the value for X and the plies until then. */
export function valueText(isOver, status, value, plies) {
  if (isOver) return `over: ${RESULTS[status]}`;
  return `${["O wins", "a draw", "X wins"][value + 1]} in ${plies} ${plies === 1 ? "ply" : "plies"}`;
}

/** An agent whose chances are in the page. */
export class TableAgent {
  constructor(game, data) {
    this.name = data.name;
    this.game = game;
    this.chances = unpacked(data.chances, Uint16Array);
    this.values = data.values && unpacked(data.values, Int16Array);
    this.unit = data.unit;
    this.held = data.held && unpacked(data.held, Uint8Array);
  }

  /** Whether the agent has learned any position of the seat that is to move. */
  knowsSeat(state) {
    const seat = this.game.moverOf(state);
    return !this.held || this.held.some((held, one) => held === 1 && this.game.moverOf(one) === seat);
  }

  knows(state) { return !this.held || this.held[state] === 1; }

  /** Return what the agent thinks of a state at once: for each legal move its chance and its value (null: none). */
  opinion(state) {
    const moves = this.game.legal(state);
    const total = moves.reduce((sum, move) => sum + this.chances[move.edge], 0) || 1;
    return moves.map((move) => {
      const value = this.values ? this.values[move.edge] : NO_VALUE;
      return { ...move, chance: this.chances[move.edge] / total, agentValue: value === NO_VALUE ? null : value * this.unit };
    });
  }

  /** The same as a promise: an agent that is asked over a network answers later. */
  async ask(state) { return { known: this.knows(state), moves: this.knowsSeat(state) ? this.opinion(state) : [] }; }
}

/** Draw one of the moves of an opinion, by a number from 0 to 1. */
export function drawn(moves, share) {
  let left = share;
  for (const move of moves) {
    left -= move.chance;
    if (move.chance > 0 && left < 0) return move;
  }
  return moves.filter((move) => move.chance > 0).at(-1);
}
