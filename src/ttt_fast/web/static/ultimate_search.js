// The agent `learned` of Ultimate: its network (values/ultimate_network.py), and a tree search whose new nodes give all
// their children the network's values at once (search/mcts/).

import { RulesAgent, inflated } from "page/rules_game";

const [OWN_BOARD, OTHER_BOARD, FULL_BOARD, FREE_MOVE, SPECIAL] = [0, 1, 2, 3, 4]; // patterns; those of open boards follow
const [SLOTS, EMBEDDING, HIDDEN, SECOND, TARGETS, ANYWHERE] = [10, 16, 64, 16, 10, 9];
const [EMBEDDING_SCALE, FIRST_SCALE, SCALE] = [256, 512, 1024]; // of the 16-bit numbers, as in values/ultimate_files.py
const POWERS = Array.from({ length: 9 }, (_, cell) => 3 ** cell);
export const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/** The pattern of each small board, a number in base 3: 1 for own marks, 2 for the other player's. */
function patternsOfGrids() {
  const patterns = new Uint16Array(3 ** 9);
  let open = SPECIAL;
  for (let grid = 0; grid < patterns.length; grid++) {
    const cells = POWERS.map((power) => Math.floor(grid / power) % 3);
    const hasLine = (mark) => LINES.some((line) => line.every((cell) => cells[cell] === mark));
    if (hasLine(1)) patterns[grid] = OWN_BOARD;
    else if (hasLine(2)) patterns[grid] = OTHER_BOARD;
    else patterns[grid] = cells.includes(0) ? open++ : FULL_BOARD;
  }
  return patterns;
}

function clipped(x) { return Math.max(0, Math.min(1, x)); }

export class Network {
  static async load({ embedding, layers }) {
    const [rows, numbers] = await Promise.all([embedding, layers].map(inflated));
    return new Network(new Int16Array(rows), new Int16Array(numbers));
  }

  constructor(embedding, layers) {
    this.patterns = patternsOfGrids();
    this.embedding = Float64Array.from(embedding);
    let at = 0;
    const take = (size, scale) => Float64Array.from(layers.subarray(at, at += size), (one) => one * scale);
    this.first = take(SLOTS * EMBEDDING * HIDDEN, 1);
    this.targets = take(TARGETS * HIDDEN, FIRST_SCALE);
    this.second = take(HIDDEN * SECOND, 1 / SCALE);
    this.secondBias = take(SECOND, 1 / SCALE);
    this.third = take(SECOND, 1 / SCALE);
    [this.thirdBias] = take(1, 1 / SCALE);
    this.sums = new Float64Array(HIDDEN);
  }

  addSlot(slot, pattern) {
    const { sums, embedding, first } = this;
    for (let one = 0; one < EMBEDDING; one++) {
      const number = embedding[pattern * EMBEDDING + one];
      const row = (slot * EMBEDDING + one) * HIDDEN;
      for (let unit = 0; unit < HIDDEN; unit++) sums[unit] += number * first[row + unit];
    }
  }

  /** The value of an ongoing state for the player to move, from -1 to 1. */
  value({ cells, player, target }) {
    this.sums.set(this.targets.subarray(target * HIDDEN, (target + 1) * HIDDEN));
    for (let board = 0; board < 9; board++) {
      let grid = 0;
      for (let cell = 0; cell < 9; cell++) {
        const seat = cells[9 * board + cell];
        if (seat !== 0) grid += seat === player ? POWERS[cell] : 2 * POWERS[cell];
      }
      this.addSlot(board, this.patterns[grid]);
      if (board === target) this.addSlot(SLOTS - 1, this.patterns[grid]);
    }
    if (target === ANYWHERE) this.addSlot(SLOTS - 1, FREE_MOVE);
    const second = Float64Array.from(this.secondBias);
    for (let unit = 0; unit < HIDDEN; unit++) {
      const active = clipped(this.sums[unit] / (EMBEDDING_SCALE * FIRST_SCALE));
      if (active > 0) for (let one = 0; one < SECOND; one++) second[one] += active * this.second[unit * SECOND + one];
    }
    const result = second.reduce((sum, one, place) => sum + clipped(one) * this.third[place], this.thirdBias);
    return result / Math.sqrt(1 + result * result);
  }
}

/** A node: its state, the action that led there, and the points (0 to 2 a visit) of the player who moved there. */
class Node {
  constructor(state, action, points) {
    Object.assign(this, { state, action, points, visits: 1, result: state.status, children: null });
  }

  /** Whose turn it was before the move to here. */
  get mover() { return 3 - this.state.player; }

  /** The value of the node for who moved there: -1 to 1. */
  get value() { return this.result ? pointsOf(this.result, this.mover) - 1 : this.points / this.visits - 1; }
}

function pointsOf(result, seat) { return result === 3 ? 1 : result === seat ? 2 : 0; }

/** The result that the children of a node prove; 0 if they prove none. */
function provedResult({ children, state }) {
  if (children.some((child) => child.result === state.player)) return state.player;
  if (children.some((child) => child.result === 0)) return 0;
  return children.some((child) => child.result === 3) ? 3 : 3 - state.player;
}

export class Search {
  constructor(game, network, exploration) {
    Object.assign(this, { game, network, exploration });
  }

  expand(node) {
    node.children = this.game.actions(node.state).map((action) => {
      const state = this.game.after(node.state, action);
      const points = state.status ? pointsOf(state.status, node.state.player) : 1 - this.network.value(state);
      return new Node(state, action, points);
    });
    return Math.max(...node.children.map((child) => child.points));
  }

  select(node) {
    const factor = this.exploration * Math.sqrt(Math.log(node.visits));
    const score = (child) => (child.result === child.mover ? 2 : child.result === 3 ? 0.5 : child.result ? -1
      : child.points / (2 * child.visits) + factor / Math.sqrt(child.visits));
    return node.children.reduce((best, child) => (score(child) > score(best) ? child : best));
  }

  simulate(root) {
    const path = [root];
    while (!path.at(-1).result && path.at(-1).children) path.push(this.select(path.at(-1)));
    const leaf = path.at(-1);
    let points = leaf.result ? pointsOf(leaf.result, leaf.state.player) : this.expand(leaf); // of the player to move
    for (const node of path.reverse()) {
      if (!node.result && node.children) node.result = provedResult(node);
      if (node.result) points = pointsOf(node.result, node.state.player);
      node.visits++;
      node.points += 2 - points;
      points = 2 - points;
    }
  }

  /** The children of a state's node after some simulations, the best one first. */
  run(state, simulations) {
    const root = new Node(state, null, 1);
    for (let done = 0; done < simulations && !root.result; done++) this.simulate(root);
    const rank = (child) => (child.result === 0 ? 1 : child.result === 3 ? 1 + Number(root.result === 3) : 3 * Number(child.result === state.player));
    return root.children.sort((one, other) => rank(other) - rank(one) || other.visits - one.visits);
  }
}

/** The agent `learned`, with a number of simulations a move. */
export function learnedAgent(game, network, { name, sims, exploration }) {
  const search = new Search(game, network, exploration);
  return new RulesAgent(game, name, async (state) => {
    const children = search.run(state, sims);
    return new Map(children.map((child, place) => [
      child.action, { chance: Number(place === 0), agentValue: child.value, visits: child.visits },
    ]));
  });
}
