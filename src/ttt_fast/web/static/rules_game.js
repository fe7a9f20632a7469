// What games share that are played by their rules alone, without a table: a state is an object with its line of play
// (`actions`), its `status`, the `player` to move, and the cell that the last move marked (`last`).

import { lineOfPlay } from "page/game";

export class RulesGame {
  constructor({ game, shape, moves }, first) {
    this.spec = game;
    this.shape = shape;
    this.moves = moves;
    this.first = { status: 0, player: 1, actions: [], last: null, line: [], ...first };
  }

  /** Texts of states are lines of play. */
  find(text) {
    const actions = text === "" ? [] : text.split(".").map(Number);
    const states = this.line(this.first, actions);
    return states.length === actions.length + 1 ? states.at(-1) : this.first;
  }

  line(start, moves) { return lineOfPlay(this, start, moves); }

  solve() {}
  leave() {}

  isOver(state) { return state.status !== 0; }
  resultOf(state) { return state.status; }
  moverOf(state) { return state.player; }
  plyOf(state) { return state.actions.length; }
  textOf(state) { return state.actions.join("."); }
  lastOf(state) { return state.last; }
  lineOf(state) { return state.line; }
  winners() { return ""; }
  ruleOf() { return ""; }
}

/** The bytes of text in base64 that is compressed as by zlib. */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (symbol) => symbol.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

/** An agent whose moves are those of `choose`: a promise of the chances and values of some actions, by action. */
export class RulesAgent {
  constructor(game, name, choose) {
    this.game = game;
    this.name = name;
    this.choose = choose;
    this.kept = new WeakMap(); // its view of each state
  }

  async ask(state) {
    if (this.game.isOver(state)) return { known: true, moves: [] };
    if (!this.kept.has(state)) {
      try {
        const found = await this.choose(state);
        const moves = this.game.legal(state).map((move) => ({ ...move, chance: 0, agentValue: null, ...found.get(move.action) }));
        this.kept.set(state, { known: true, moves });
      } catch (error) {
        return { known: false, error: error.message, moves: [] };
      }
    }
    return this.kept.get(state);
  }
}

/** The agent `random`. */
export function randomAgent(game, name) {
  return new RulesAgent(game, name, async (state) => {
    const legal = game.legal(state);
    return new Map(legal.map(({ action }) => [action, { chance: 1 / legal.length }]));
  });
}
