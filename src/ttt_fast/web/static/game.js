// Games in a browser.  A state has the fields that the server sends (server/responses.py): its `text`, `ply` and `status`,
// the `player` to move (0 at the end), the `legal` actions, the `marks` by cell, the cell of the `last` move, the winning
// `line`, the winners of small `boards`, and `exact`, its value and those of its moves, once they are known.

export const RESULTS = ["", "X has won", "O has won", "a draw"];
export const SEATS = ["", "X", "O"];
const NO_VALUE = -32768;

export class Game {
  constructor({ game, shape, moves }) { Object.assign(this, { spec: game, shape, moves }); }

  /** The legal moves of a state, with their exact values where these are known. */
  legal(state) {
    const known = new Map((state.exact?.moves ?? []).map((move) => [move.action, move]));
    const best = Math.max(...[...known.values()].map((move) => move.value));
    return state.legal.map((action) => {
      const move = known.get(action);
      return { action, name: this.moves[action], ...move, ...(move && { regret: best - move.value }) };
    });
  }

  /** The value of a state in words, for X and with the plies until the end, and whether it is exact. */
  verdict({ status, exact }) {
    if (status) return { isExact: true, text: `over: ${RESULTS[status]}` };
    if (!exact?.known) return { isExact: false, text: exact ? `no exact value (${exact.reason})` : "the exact value is being looked for" };
    const { value, distance } = exact;
    const when = distance === null ? "" : ` in ${distance} ${distance === 1 ? "ply" : "plies"}`;
    return { isExact: true, text: `${["O wins", "a draw", "X wins"][value + 1]}${when}` };
  }
}

/** Return the numbers that base64 text holds, as a typed array of the class `kind`. */
function unpacked(text, kind) {
  const bytes = Uint8Array.from(atob(text), (symbol) => symbol.charCodeAt(0));
  return new kind(bytes.buffer); // little-endian, as every browser's machine
}

/** A game with a table.  Its states also have their `index`, and the index of the first state that is symmetric to them. */
export class TableGame extends Game {
  constructor(data) {
    super(data);
    this.ruleNames = data.rule_names;
    const read = (name, kind = Uint8Array) => unpacked(data[name], kind);
    const [counts, actions, children] = [read("counts"), read("actions"), read("children", Uint16Array)];
    const [statuses, players, plies] = ["status", "player", "ply"].map((name) => read(name));
    const [values, distances, firsts] = [read("value", Int8Array), read("distance"), read("representative", Uint16Array)];
    const rules = data.rules && read("rules", Int8Array);
    let edge = 0;
    this.states = data.boards.map((text, index) => {
      const player = players[index];
      const moves = Array.from({ length: counts[index] }, () => {
        const child = children[edge];
        return { edge, child, value: (player === 1 ? 1 : -1) * values[child], plies: distances[child], action: actions[edge++] };
      });
      const rule = rules?.[index] >= 0 ? data.rule_names[rules[index]] : "";
      return {
        index, text, player, ply: plies[index], status: statuses[index], representative: firsts[index],
        marks: this.shape.kind === "text" ? "" : text.replaceAll("/", "").toUpperCase(), last: null, line: data.lines[index] ?? [],
        legal: moves.map((move) => move.action),
        exact: { known: true, value: values[index], distance: distances[index], rule, moves },
      };
    });
  }

  get first() { return this.states[0]; }

  /** The state of a text, the start where it is none. */
  find(text) { return this.states.find((state) => state.text === text) ?? this.first; }

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

  play(state, action) {
    const move = state.exact.moves.find((one) => one.action === action);
    if (!move) return null;
    const child = this.states[move.child];
    return { ...child, last: [...child.marks].findIndex((mark, cell) => mark !== state.marks[cell]) };
  }

  /** Find the exact values of a state's moves; here they are known. */
  solve() {}
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
    return !this.held || this.held.some((held, index) => held === 1 && this.game.states[index].player === state.player);
  }

  knows(state) { return !this.held || this.held[state.index] === 1; }

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
