// Ultimate tic-tac-toe by its rules alone (games/ultimate.py), with the methods of a game with a table (game.js).

import { valueText } from "page/game";
import { RulesGame, randomAgent } from "page/rules_game";
import { LINES, Network, learnedAgent } from "page/ultimate_search";

const [DRAW, FULL, ANYWHERE] = [3, 3, 9];

/** Whether a seat has a line in nine cells from `first` on. */
function hasLine(cells, first, seat) { return LINES.some((line) => line.every((cell) => cells[first + cell] === seat)); }

/** A state also has the seats of its 81 `cells`, the winners of its `boards` (3: full), and the `target` (9: any). */
export class UltimateGame extends RulesGame {
  constructor(data) {
    super(data, { cells: new Uint8Array(81), boards: new Uint8Array(9), target: ANYWHERE });
    this.tie = data.tie; // whether more boards win if there is no line
  }

  actions(state) {
    const found = [];
    if (this.isOver(state)) return found;
    for (let action = 0; action < 81; action++) if (this.isLegal(state, action)) found.push(action);
    return found;
  }

  isLegal({ cells, boards, target }, action) {
    const board = Math.floor(action / 9);
    return cells[action] === 0 && boards[board] === 0 && (target === ANYWHERE || target === board);
  }

  legal(state) { return this.actions(state).map((action) => ({ action, name: this.moves[action] })); }

  play(state, action) {
    if (this.isOver(state) || !(action >= 0 && action < 81) || !this.isLegal(state, action)) return null;
    return { ...this.after(state, action), actions: [...state.actions, action], last: action };
  }

  /** What a legal move changes; a search needs no more of a state. */
  after(state, action) {
    const { player } = state;
    const board = Math.floor(action / 9);
    const cells = state.cells.slice();
    cells[action] = player;
    let { boards } = state;
    if (hasLine(cells, 9 * board, player)) boards = boards.with(board, player);
    else if (cells.subarray(9 * board, 9 * board + 9).every((one) => one !== 0)) boards = boards.with(board, FULL);
    const won = boards[board] === player && hasLine(boards, 0, player);
    const target = boards[action % 9] === 0 ? action % 9 : ANYWHERE;
    const status = won ? player : boards.every((one) => one !== 0) ? this.resultWithoutLine(boards) : 0;
    const inLine = won ? LINES.filter((line) => line.every((one) => boards[one] === player)).flat() : [];
    const line = [...new Set(inLine)].flatMap((one) => [...Array(9).keys()].map((cell) => 9 * one + cell));
    return { cells, boards, target, status, line, player: 3 - player };
  }

  resultWithoutLine(boards) {
    const count = (seat) => boards.filter((one) => one === seat).length;
    const lead = count(1) - count(2);
    return !this.tie || lead === 0 ? DRAW : lead > 0 ? 1 : 2;
  }

  winners(state) { return [...state.boards].map((winner) => ".XO."[winner]).join(""); }
  marks(state) { return [...state.cells].map((seat) => ".XO"[seat]).join(""); }

  verdict(state) {
    if (this.isOver(state)) return { isExact: true, text: valueText(true, state.status) };
    return { isExact: false, text: "this page has no exact values" };
  }
}

export async function load(data) {
  const game = new UltimateGame(data);
  const agents = await Promise.all(data.agents.map(async (one) => (
    one.kind === "random" ? randomAgent(game, one.name) : learnedAgent(game, await Network.load(one), one))));
  return { game, agents };
}
