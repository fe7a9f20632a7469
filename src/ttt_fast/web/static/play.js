// The view in which a game is played; the values of its moves are shown on demand, on the board and beside it.

import { actionsOf, address, show, written } from "page/address";
import { annotate, element, playBoard } from "page/draw";
import { RESULTS, SEATS, drawn } from "page/game";
import { Session, YOU } from "page/session";
import { hint, joined, legend, notes, tableOf } from "page/values";

const PAUSE = 350; // milliseconds before an agent moves, so that one sees it happen
const DESK = "(min-width: 48.01rem)"; // where the settings stand beside the board; on a phone they are folded
const KEYS = { u: "undo", n: "new", h: "hint", v: "values-title", "/": "keys", "?": "keys" };
const HOW = {
  cells: "Click a free cell, or use the arrow keys and Enter.",
  columns: "Click a column: the disc falls to its lowest free cell.",
  boards: "Click a free cell within an outline.",
  text: "Choose a move below the position.",
};
const WAITS = { known: false, waits: true, moves: [] };

export class PlayView {
  constructor(game, agents, place) {
    this.game = game;
    this.agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.place = place;
    this.turn = 0; // of several waiting answers only the newest counts
    this.goesOn = true; // whether two agents play without being told to
    this.usual = { x: YOU, o: this.agents.has("minimax") ? "minimax" : [YOU, ...this.agents.keys()].at(1) ?? YOU };
    this.session = new Session(game, this.usual);
    this.fresh = false; // whether the last move is new, so that its disc falls
    this.forget();
    this.bind();
    this.offer([YOU, ...this.agents.keys()]);
  }

  find(name) { return this.place.querySelector(`[data-part="${name}"]`); }

  bind() {
    for (const [number, seat] of [[1, "x"], [2, "o"]]) {
      const select = this.find(seat);
      select.addEventListener("change", () => { this.session.seats[number] = select.value; this.update(); });
    }
    const press = (part, act) => this.find(part).addEventListener("click", act);
    press("undo", () => { if (this.session.undo()) this.update(); });
    press("new", () => this.restart(this.session.start));
    press("empty", () => this.restart());
    press("swap", () => { this.session.swap(); this.update(); });
    press("auto", () => { this.goesOn = !this.goesOn; this.update(); });
    press("step", () => this.guarded(() => this.answer(this.turn)));
    press("hint", () => this.guarded(() => this.giveHint(this.turn)));
    press("keys", () => this.find("keys-list").showModal());
    press("keys-close", () => this.find("keys-list").close());
    this.find("settings").open = matchMedia(DESK).matches;
    this.find("values").addEventListener("toggle", () => {
      if (this.session.game !== this.game) return; // another game is being loaded
      show("play", this.settings());
      this.consider(this.turn);
    });
    document.addEventListener("keydown", (event) => {
      const isTyped = event.target.closest?.("input, select, dialog");
      if (event.ctrlKey || event.metaKey || event.altKey || isTyped || this.place.hidden) return;
      const part = this.find(KEYS[event.key] ?? "none");
      if (!part || part.disabled) return;
      event.preventDefault();
      part.click();
    });
  }

  /** Let both seats choose among these names. */
  offer(names) {
    for (const seat of ["x", "o"]) {
      this.find(seat).replaceChildren(...names.map((name) => element("option", { value: name, text: name })));
    }
  }

  /** Whether a seat may have a name. */
  knows(name) { return name === YOU || this.agents.has(name); }

  /** The agents whose views are shown. */
  shown() { return [...this.agents.values()]; }

  /** Do something that may fail where states are asked for. */
  async guarded(act) { await act(); }

  /** Begin a game, with the same seats. */
  async restart(start) {
    this.turn++;
    await this.session.begin(start);
    this.update();
  }

  /** Take up the settings of an address. */
  async open({ start = "", moves = "", x = this.usual.x, o = this.usual.o, values = "" }) {
    const turn = ++this.turn;
    const known = (name, instead) => (this.knows(name) ? name : instead);
    const session = new Session(this.game, { x: known(x, this.usual.x), o: known(o, this.usual.o) });
    await session.begin(await this.game.find(start), actionsOf(this.game, moves));
    if (turn !== this.turn) return;
    this.session = session;
    this.find("values").open = values === "shown";
    this.update();
  }

  settings(moves = this.session.actions) {
    const { game, session: { start, seats } } = this;
    return {
      start: start === game.first ? "" : start.text, moves: written(game, moves), x: seats[1], o: seats[2],
      values: this.find("values").open ? "shown" : "",
    };
  }

  /** Stop waiting for an agent. */
  close() { this.turn++; }

  update() {
    const { game, session } = this;
    const turn = ++this.turn;
    this.forget();
    show("play", this.settings());
    this.find("x").value = session.seats[1];
    this.find("o").value = session.seats[2];
    this.find("settings-title").textContent = `Settings: ${game.spec}, X ${session.seats[1]}, O ${session.seats[2]}`;
    this.find("undo").disabled = session.undoTo < 0;
    this.find("hint").disabled = !session.isYourTurn;
    this.find("hint-text").textContent = "";
    this.find("empty").hidden = session.start === game.first;
    const isWatched = !session.hasPerson && !session.isOver;
    this.find("auto").hidden = !isWatched;
    this.find("auto").textContent = this.goesOn ? "Pause" : "Go on";
    this.find("step").hidden = !isWatched || this.goesOn;
    this.drawBoard();
    const thinks = !session.isOver && !session.isYourTurn && (session.hasPerson || this.goesOn);
    this.drawTurn(thinks);
    this.drawHistory();
    this.consider(turn);
    if (thinks) this.guarded(() => this.answer(turn));
  }

  /** Forget what agents have said about the position before. */
  forget() {
    this.asked = new Map();
    this.opinions = new Map();
    this.hinted = undefined;
  }

  /** Play an action, and draw what has come of it. */
  async move(action) {
    if (!await this.session.play(action)) return;
    this.fresh = true;
    this.update();
  }

  drawBoard() {
    const { game, session } = this;
    const old = this.find("board");
    const focused = old.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    const choose = (action) => this.guarded(() => this.move(action));
    old.replaceChildren(playBoard(game, session.state, session.isYourTurn, choose, this.fresh));
    this.find("layout").style.setProperty("--ratio", game.shape.kind === "text" ? 1 : game.shape.columns / game.shape.rows);
    this.find("layout").dataset.kind = game.shape.kind;
    this.fresh = false;
    if (focused === undefined) return;
    const again = old.querySelector(`[data-action="${focused}"]`) || old.querySelector("button");
    if (!again) return;
    for (const one of old.querySelectorAll("button")) one.tabIndex = -1;
    again.tabIndex = 0;
    again.focus();
  }

  /** Say above the board whose turn it is, in the colour of the seat, or how the game has ended. */
  drawTurn(thinks) {
    const { session, game } = this;
    const seat = SEATS[session.state.status || session.state.player] ?? "";
    const words = this.statusText(thinks);
    this.find("turn").className = `turn${seat && ` turn-${seat.toLowerCase()}`}`;
    this.find("turn-mark").textContent = seat || "=";
    this.find("status").textContent = words;
    this.find("thinks").hidden = !thinks;
    this.find("how").textContent = session.isOver ? "Press New game to play again."
      : session.isYourTurn ? HOW[game.shape.kind] : session.hasPerson ? "Wait for its move." : "Two agents play.";
    if (!this.place.hidden) document.title = `${words} ${game.spec}`;
  }

  statusText(thinks) {
    const { session } = this;
    if (session.isOver) {
      const { status } = session.state;
      if (status === 3) return "The game is a draw.";
      const yours = session.seats.filter((seat) => seat === YOU).length === 1;
      const result = `${RESULTS[status]}.`;
      return yours ? `${result} ${session.seats[status] === YOU ? "You win!" : "You lose."}` : result;
    }
    const seat = SEATS[session.state.player];
    return session.isYourTurn ? `Your move: ${seat}.` : `${session.mover} is ${thinks ? "thinking" : "to move"}: ${seat}.`;
  }

  facts(state) {
    const verdict = this.game.verdict(state);
    const play = state.status || !verdict.isExact ? "" : "under best play ";
    return `After ${state.ply} ${state.ply === 1 ? "ply" : "plies"}: ${play}${verdict.text}.`;
  }

  /** Let the agent to move play, unless the game is another one by then. */
  async answer(turn) {
    this.find("thinks").hidden = false;
    const [opinion] = await Promise.all([
      this.opinionOf(this.session.mover), new Promise((done) => { setTimeout(done, PAUSE); }),
    ]);
    if (turn !== this.turn) return; // undone, or a new game, in the meantime
    if (opinion.error || opinion.moves.length === 0) {
      const reason = opinion.error ?? `it has learned no position of ${SEATS[this.session.state.player]}`;
      this.find("status").textContent = `${this.session.mover} does not move: ${reason}`;
      this.find("how").textContent = "Choose who plays in the settings.";
      this.find("thinks").hidden = true;
      return;
    }
    await this.move(opinion.plays ?? drawn(opinion.moves, Math.random()).action);
  }

  drawHistory() {
    const { session, game } = this;
    const items = session.actions.map((action, ply) => element("li", {}, element("a", {
      href: address("play", this.settings(session.actions.slice(0, ply + 1))),
      "aria-current": ply === session.actions.length - 1 && "step",
      text: `${SEATS[session.states[ply].player]} ${game.moves[action]}`,
    })));
    this.find("history").replaceChildren(...items);
    this.find("history-part").hidden = items.length === 0;
  }

  /** An agent of a name. */
  agent(name) { return this.agents.get(name); }

  /** The agent whose view the board shows where exact values are not known: one in a seat, else the first. */
  viewed() { return this.session.seats.find((name) => name && name !== YOU) ?? this.shown()[0]?.name; }

  /** The agent whose choice is the hint where exact values are not known. */
  adviser() { return this.viewed(); }

  /** Ask an agent about the position, once. */
  opinionOf(name) {
    if (!this.asked.has(name)) this.asked.set(name, this.agent(name).ask(this.session.state));
    return this.asked.get(name);
  }

  /** Mark a good move: after the exact values are known, or an agent has answered in their place. */
  async giveHint(turn) {
    const { game, session: { state } } = this;
    this.find("hint-text").textContent = "Looking for a hint …";
    await game.solve(state);
    if (turn !== this.turn) return;
    const isKnown = game.legal(state).every((move) => move.value !== undefined);
    const name = isKnown ? undefined : this.adviser();
    const opinion = name === undefined ? undefined : await this.opinionOf(name);
    if (turn !== this.turn) return;
    const { action, text } = hint(game, game.legal(state), name, opinion);
    this.hinted = action;
    this.find("hint-text").textContent = opinion?.error ? `No hint: ${opinion.error}` : text;
    this.annotateBoard();
  }

  /** If the values are shown, ask all agents, and for the exact values, and draw each answer when it comes. */
  consider(turn) {
    const { game, session: { state } } = this;
    const draw = () => { if (turn === this.turn) this.drawValues(state); };
    if (this.find("values").open && !state.status) {
      const names = [...this.shown().map((one) => one.name), this.viewed()];
      for (const name of new Set(names.filter((one) => one !== undefined))) {
        this.opinionOf(name).then((opinion) => { if (turn === this.turn) this.opinions.set(name, opinion); }).then(draw);
      }
      Promise.resolve(game.solve(state)).then(draw);
    }
    draw();
  }

  drawValues(state) {
    const { game } = this;
    const isOver = state.status !== 0;
    this.annotateBoard();
    this.find("facts").textContent = this.facts(state);
    this.find("values-title").textContent = `${this.find("values").open ? "Hide" : "Show"} the values of the moves`;
    for (const part of ["moves-part", "legend", "agents", "prose"]) this.find(part).hidden = isOver;
    if (isOver || !this.find("values").open) return;
    const legal = game.legal(state);
    const columns = this.shown().map(({ name }) => ({ name, opinion: joined(this.opinions.get(name) ?? WAITS, legal) }));
    const { figures, table } = tableOf(game, state, legal, columns);
    this.find("agents").replaceChildren(...figures);
    this.find("moves").replaceChildren(...table);
  }

  /** Show the values on the board, if they are wanted, and the move of a hint. */
  annotateBoard() {
    const { game, session: { state } } = this;
    const isShown = this.find("values").open && !state.status;
    const [legal, name] = [game.legal(state), this.viewed()];
    const opinion = this.opinions.get(name);
    const shown = isShown ? notes(legal, name, opinion && joined(opinion, legal)) : new Map();
    annotate(this.find("board"), shown, this.hinted);
    if (isShown) this.find("legend").replaceChildren(...legend(game, state, shown, name));
  }
}
