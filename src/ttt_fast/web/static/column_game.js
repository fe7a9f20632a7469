// Connect 4 by its rules alone, on a board of any size, with the methods of a game with a table (game.js).

import { lineOfPlay, valueText } from "page/game";
import { ProvenPlayer, wins } from "page/proven";

/** A state has its columns (the seats of their stones from the bottom), its status, the player to move and the moves. */
export class ColumnGame {
  constructor(data) {
    this.spec = data.game;
    this.shape = data.shape;
    this.moves = data.moves;
    this.length = data.length;
    const columns = this.moves.map(() => []);
    this.first = { columns, status: 0, player: 1, actions: [], last: null };
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
  lineOf() { return []; }
  winners() { return ""; }
  ruleOf() { return ""; }

  legal(state) {
    if (this.isOver(state)) return [];
    const free = (action) => state.columns[action].length < this.shape.rows;
    return this.moves.map((name, action) => ({ action, name })).filter((move) => free(move.action));
  }

  play(state, action) {
    if (!this.legal(state).some((move) => move.action === action)) return null;
    const { player } = state;
    const columns = state.columns.map((one, column) => (column === action ? [...one, player] : one));
    const isFull = columns.every((one) => one.length === this.shape.rows);
    const status = wins(state.columns, action, player, this.length) ? player : isFull ? 3 : 0;
    const last = (this.shape.rows - columns[action].length) * this.shape.columns + action;
    return { columns, status, player: 3 - player, actions: [...state.actions, action], last };
  }

  /** The marks row by row, from the top. */
  marks(state) {
    const rows = [...Array(this.shape.rows).keys()].reverse();
    return rows.map((row) => state.columns.map((column) => ".XO"[column[row] ?? 0]).join("")).join("");
  }

  verdict(state) {
    if (this.isOver(state)) return { isExact: true, text: valueText(true, state.status) };
    return { isExact: false, text: "this page has no exact values" };
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
