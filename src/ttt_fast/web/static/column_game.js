// Connect 4 by its rules alone, on a board of any size, with the methods of a game with a table (game.js).

import { Engine, learnedAgent, solverAgent } from "page/engine";
import { valueText } from "page/game";
import { ProvenPlayer, winningCells } from "page/proven";
import { RulesGame, randomAgent } from "page/rules_game";

/** A state also has its columns (the seats of their stones from the bottom), and `exact` values once they are found. */
export class ColumnGame extends RulesGame {
  constructor(data, engine = null) {
    super(data, { columns: data.moves.map(() => []) });
    this.length = data.length;
    this.engine = engine;
  }

  legal(state) {
    if (this.isOver(state)) return [];
    const free = (action) => state.columns[action].length < this.shape.rows;
    const found = state.exact?.moves ?? [];
    const best = Math.max(...found.map((one) => (one ? Math.sign(one.score) : -1)));
    const isWhole = this.isSolved(state);
    return this.moves.map((name, action) => ({ action, name })).filter((move) => free(move.action)).map((move) => {
      if (!isWhole) return move;
      const { score, plies } = found[move.action];
      return { ...move, score, plies, value: Math.sign(score), regret: best - Math.sign(score) };
    });
  }

  /** Whether the values of all moves are known. */
  isSolved({ exact, columns }) {
    return Boolean(exact?.moves) && columns.every((one, action) => one.length === this.shape.rows || exact.moves[action]);
  }

  play(state, action) {
    if (!this.legal(state).some((move) => move.action === action)) return null;
    const { player } = state;
    const columns = state.columns.map((one, column) => (column === action ? [...one, player] : one));
    const isFull = columns.every((one) => one.length === this.shape.rows);
    const place = ([column, row]) => (this.shape.rows - 1 - row) * this.shape.columns + column;
    const line = [...new Set(winningCells(columns, action, this.length).map(place))];
    const status = line.length > 0 ? player : isFull ? 3 : 0;
    const last = place([action, columns[action].length - 1]);
    return { columns, status, player: 3 - player, actions: [...state.actions, action], last, line };
  }

  /** The marks row by row, from the top. */
  marks(state) {
    const rows = [...Array(this.shape.rows).keys()].reverse();
    return rows.map((row) => state.columns.map((column) => ".XO"[column[row] ?? 0]).join("")).join("");
  }

  /** Find the exact values of a state's moves, once. */
  async solve(state) {
    if (!this.engine || this.isOver(state)) return;
    state.solving ??= this.engine.solve(state.actions).catch(() => ({ moves: null, own: null }));
    state.exact = await state.solving;
  }

  verdict(state) {
    if (this.isOver(state)) return { isExact: true, text: valueText(true, state.status) };
    if (!this.engine) return { isExact: false, text: "this page has no exact values" };
    if (!state.exact) return { isExact: false, text: "the exact value is being looked for" };
    const { own } = state.exact;
    if (!own) return { isExact: false, text: "no exact value was found; from ply 14 on there always is one" };
    return { isExact: true, text: valueText(false, 0, Math.sign(own.score) * (state.player === 1 ? 1 : -1), own.plies) };
  }
}

/** An agent whose weights are in the page, and which plays one seat. */
export class ProvenAgent {
  constructor(game, data) {
    this.name = data.name;
    this.game = game;
    this.player = new ProvenPlayer(data);
  }

  get seat() { return this.player.seat; }

  async ask(state) {
    if (this.game.isOver(state) || this.game.moverOf(state) !== this.seat) return { known: false, moves: [] };
    const chosen = this.player.choose(state.columns);
    const moves = this.game.legal(state).map((move) => ({ ...move, chance: Number(move.action === chosen), agentValue: null }));
    return { known: true, moves };
  }
}

const AGENTS = {
  random: (game, { name }) => randomAgent(game, name),
  learned: (game, { name }) => learnedAgent(game, name),
  solver: solverAgent,
  proven: (game, data) => new ProvenAgent(game, data),
};

export async function load(data) {
  const game = new ColumnGame(data, data.engine && await Engine.load(data.engine));
  return { game, agents: data.agents.map((one) => AGENTS[one.kind](game, one)) };
}
