// A game on the server that the page came from: a state is what the server tells of it; agents are asked there.

import { Game } from "page/game";

const PATIENCE = 400; // milliseconds of waiting before the page asks whether the server compiles

/** Told by the event "preparing" what the server compiles while an answer is waited for; empty: nothing. */
export const server = new EventTarget();
let waiting = 0;
let timer = null;

function tell(compiling) { server.dispatchEvent(new CustomEvent("preparing", { detail: compiling })); }

async function look() {
  const found = await fetch("status", { method: "POST" }).then((response) => response.json()).catch(() => ({}));
  if (waiting === 0) return;
  tell(found.compiling ?? "");
  timer = setTimeout(look, PATIENCE);
}

function wait(more) {
  waiting += more;
  if (waiting === 1 && more === 1) timer = setTimeout(look, PATIENCE);
  if (waiting === 0) {
    clearTimeout(timer);
    tell("");
  }
}

/** Ask the server; an error has its words. */
async function ask(kind, question, signal) {
  let response;
  wait(1);
  try {
    response = await fetch(kind, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
  } catch (error) {
    throw new Error(signal?.aborted ? "nobody waits for it" : "the server does not answer: has it ended?", { cause: error });
  } finally {
    wait(-1);
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

export class LiveGame extends Game {
  /** Load a game by its spelling. */
  static async load(spec) {
    const game = new LiveGame(await ask("game", { game: spec }));
    game.first = await game.find("");
    return game;
  }

  constructor(about) {
    super(about);
    this.agents = about.agents;
    this.seed = 0; // of the agents' choices
    this.leaving = new AbortController();
  }

  /** What tells the server which state is meant: the line of play that leads there. */
  question(state) { return { game: this.spec, start: state.start, moves: state.actions }; }

  /** The state of a text, the start where it is none. */
  async find(text) {
    if (text === "" && this.first) return this.first;
    try {
      const { states: [found] } = await ask("line", { game: this.spec, start: text });
      return { ...found, start: text, actions: [] };
    } catch (error) {
      if (error.cause || !this.first) throw error;
      return this.first;
    }
  }

  /** The states of a line of play from a state; that state alone if a move is not legal. */
  async line(from, moves) {
    const { start, actions } = from;
    const whole = moves.every(Number.isInteger) ? [...actions, ...moves] : actions;
    try {
      const { states } = await ask("line", { game: this.spec, start, moves: whole, since: actions.length });
      const found = states.map((state, ply) => ({ ...state, start, actions: whole.slice(0, actions.length + ply) }));
      return [from, ...found.slice(1)]; // what is known of that state stays known
    } catch (error) {
      if (error.cause) throw error;
      return [from];
    }
  }

  async play(state, action) {
    const states = await this.line(state, [action]);
    return states[1] ?? null;
  }

  /** Fill in the exact values of a state's moves, if the server knows them. */
  async solve(state) {
    if (state.status || state.exact) return;
    state.exact = await ask("value", this.question(state), this.leaving.signal).catch(
      (error) => (error.cause ? undefined : { known: false, reason: "not solved within its time" }));
  }

  leave() {
    this.leaving.abort();
    this.leaving = new AbortController();
  }
}

/** An agent of a game on the server. */
export class LiveAgent {
  constructor(game, name) {
    this.game = game;
    this.name = name;
  }

  /** Return its view of a state, which is kept there; an error becomes a view, too. */
  async ask(state) {
    if (state.status) return { known: true, moves: [] };
    const key = `${this.game.seed} ${this.name}`;
    state.opinions ??= new Map();
    if (state.opinions.has(key)) return state.opinions.get(key);
    try {
      const question = { ...this.game.question(state), agent: this.name, seed: this.game.seed };
      const { known, plays, moves } = await ask("agent", question, this.game.leaving.signal);
      const opinion = {
        known, plays, moves: moves.map(({ chance, value, visits }) => ({ chance, agentValue: value, visits })),
      };
      state.opinions.set(key, opinion);
      return opinion;
    } catch (error) {
      return { known: false, error: error.message, moves: [] };
    }
  }
}
