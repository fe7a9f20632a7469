// The engine of Connect 4 (connect_four.c) in a worker, and the agents that play by it.

import { RulesAgent, inflated } from "page/rules_game";

const COLUMNS = 7;
const SURE_PLY = 14; // from here on exact values are found in any case
const EARLY_NODES = 1_000_000; // a third of a second here; of an earlier position, exact values may not be found
const SEARCH_NODES = 150_000; // of a move by the evaluation
const [UNKNOWN, UNIT, MOST] = [127, 1 / 128, 10_000];

export class Engine {
  static async load({ wasm, openings, evaluation }) {
    const parts = await Promise.all([openings, evaluation].map(inflated));
    return new Engine(Uint8Array.from(atob(wasm), (symbol) => symbol.charCodeAt(0)), parts);
  }

  constructor(wasm, parts) {
    this.worker = new Worker(import.meta.resolve("page/engine_worker"));
    this.waiting = []; // what is done with each answer, in the order of the questions
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.shift();
      if (data.error) reject(new Error(data.error));
      else resolve(data.numbers);
    };
    this.worker.onerror = () => this.waiting.splice(0).forEach(({ reject }) => reject(new Error("the engine has stopped")));
    this.worker.postMessage({ wasm, parts });
  }

  ask(kind, line, nodes) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.worker.postMessage({ kind, line, nodes });
    });
  }

  /** The exact scores of the moves after a line of play, as far as they are found: their plies to the end, too. */
  async solve(line) {
    const numbers = await this.ask("solve", line, line.length < SURE_PLY ? EARLY_NODES : Number.MAX_SAFE_INTEGER);
    const pairs = Array.from({ length: COLUMNS + 1 }, (_, column) => ({ score: numbers[2 * column], plies: numbers[2 * column + 1] }));
    return { moves: pairs.slice(0, COLUMNS).map((one) => (one.score === UNKNOWN ? null : one)), own: pairs[COLUMNS].score === UNKNOWN ? null : pairs[COLUMNS] };
  }

  /** The column of the best move by the evaluation, and its value from -1 to 1. */
  async choose(line) {
    const [total, column] = await this.ask("choose", line, SEARCH_NODES);
    const sum = Math.max(-3, Math.min(3, total * UNIT));
    return { action: column, agentValue: Math.abs(total) > MOST ? Math.sign(total) : (sum * (27 + sum * sum)) / (27 + 9 * sum * sum) };
  }
}

/** The agent `learned`: a search with the evaluation. */
export function learnedAgent(game, name) {
  return new RulesAgent(game, name, async (state) => {
    const { action, agentValue } = await game.engine.choose(state.actions);
    return new Map([[action, { chance: 1, agentValue }]]);
  });
}

/** The agent `solver`: one of the best moves by exact scores, or where they are not found the move of `learned`. */
export function solverAgent(game, { name, tie, aim }) {
  const searching = learnedAgent(game, name);
  return new RulesAgent(game, name, async (state) => {
    await game.solve(state);
    const legal = game.legal(state);
    if (legal.some((move) => move.score === undefined)) return searching.choose(state);
    const rank = (move) => (aim === "result" ? move.value : move.score);
    const best = legal.filter((move) => legal.every((other) => rank(other) <= rank(move)));
    const chosen = tie === "random" ? best : best.slice(0, 1);
    return new Map(legal.map((move) => [
      move.action, { chance: chosen.includes(move) ? 1 / chosen.length : 0, agentValue: move.score },
    ]));
  });
}
