// The view in which a game is played, with the values of all moves beside it.

import { address, show } from "page/address";
import { agentFigure, element, outcome, percent, placeName, playBoard, signed } from "page/draw";
import { RESULTS, SEATS, drawn } from "page/game";
import { Session, YOU } from "page/session";

const PAUSE = 350; // milliseconds before an agent moves, so that one sees it happen

export class PlayView {
  constructor(game, agents, place) {
    this.game = game;
    this.agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.place = place;
    this.turn = 0; // of several waiting answers only the newest counts
    this.goesOn = true; // whether two agents play without being told to
    this.usual = { x: YOU, o: this.agents.has("minimax") ? "minimax" : [YOU, ...this.agents.keys()].at(1) ?? YOU };
    this.session = new Session(game, this.usual);
    this.opinions = new Map();
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
    this.find("board").addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const part = { u: "undo", n: "new" }[event.key];
      if (part && !this.find(part).disabled) this.find(part).click();
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
  async open({ start = "", moves = "", x = this.usual.x, o = this.usual.o }) {
    const turn = ++this.turn;
    const actions = moves === "" ? [] : moves.split(".").map(Number);
    const known = (name, instead) => (this.knows(name) ? name : instead);
    const session = new Session(this.game, { x: known(x, this.usual.x), o: known(o, this.usual.o) });
    await session.begin(await this.game.find(start), actions);
    if (turn !== this.turn) return;
    this.session = session;
    this.update();
  }

  settings(moves = this.session.actions) {
    const { game, session: { start, seats } } = this;
    return { start: start === game.first ? "" : game.textOf(start), moves: moves.join("."), x: seats[1], o: seats[2] };
  }

  /** Stop waiting for an agent. */
  close() { this.turn++; }

  update() {
    const { game, session } = this;
    const turn = ++this.turn;
    game.leave();
    show("play", this.settings());
    this.find("x").value = session.seats[1];
    this.find("o").value = session.seats[2];
    this.find("undo").disabled = session.undoTo < 0;
    this.find("empty").hidden = session.start === game.first;
    const isWatched = !session.hasPerson && !session.isOver;
    this.find("auto").hidden = !isWatched;
    this.find("auto").textContent = this.goesOn ? "Pause" : "Go on";
    this.find("step").hidden = !isWatched || this.goesOn;
    this.drawBoard();
    this.find("status").textContent = this.statusText();
    this.drawHistory();
    this.consider(turn);
    if (!session.isOver && !session.isYourTurn && (session.hasPerson || this.goesOn)) {
      this.guarded(() => this.answer(turn));
    }
  }

  drawBoard() {
    const old = this.find("board");
    const focused = old.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    const choose = (action) => this.guarded(async () => { if (await this.session.play(action)) this.update(); });
    old.replaceChildren(playBoard(this.game, this.session.state, this.session.isYourTurn, choose));
    if (focused === undefined) return;
    const again = old.querySelector(`[data-action="${focused}"]`) || old.querySelector("button");
    if (!again) return;
    for (const one of old.querySelectorAll("button")) one.tabIndex = -1;
    again.tabIndex = 0;
    again.focus();
  }

  statusText() {
    const { session, game } = this;
    if (session.isOver) {
      const status = game.resultOf(session.state);
      if (status === 3) return "The game is a draw.";
      const yours = session.seats.filter((seat) => seat === YOU).length === 1;
      const result = `${RESULTS[status]}.`;
      return yours ? `${result} ${session.seats[status] === YOU ? "You win!" : "You lose."}` : result;
    }
    const seat = SEATS[game.moverOf(session.state)];
    return session.isYourTurn ? `Your move: ${seat}.` : `${session.mover} is to move: ${seat}.`;
  }

  facts(state) {
    const { game } = this;
    const verdict = game.verdict(state);
    const rule = game.ruleOf(state);
    const play = game.isOver(state) || !verdict.isExact ? "" : "under best play ";
    return `After ${game.plyOf(state)} plies: ${play}${verdict.text}${rule ? `. Heuribot's class: ${rule}` : ""}.`;
  }

  /** Let the agent to move play, unless the game is another one by then. */
  async answer(turn) {
    const [opinion] = await Promise.all([
      this.asked.get(this.session.mover), new Promise((done) => { setTimeout(done, PAUSE); }),
    ]);
    if (turn !== this.turn) return; // undone, or a new game, in the meantime
    if (opinion.error || opinion.moves.length === 0) {
      const reason = opinion.error ?? `it has learned no position of ${SEATS[this.game.moverOf(this.session.state)]}`;
      this.find("status").textContent = `${this.session.mover} does not move: ${reason}`;
      return;
    }
    if (await this.session.play(opinion.plays ?? drawn(opinion.moves, Math.random()).action)) this.update();
  }

  drawHistory() {
    const { session, game } = this;
    const items = session.actions.map((action, ply) => element("li", {}, element("a", {
      href: address("play", this.settings(session.actions.slice(0, ply + 1))),
      "aria-current": ply === session.actions.length - 1 && "step",
      text: `${SEATS[game.moverOf(session.states[ply])]} ${game.moves[action]}`,
    })));
    this.find("history").replaceChildren(...items);
    this.find("history-part").hidden = items.length === 0;
  }

  /** Ask all agents, and for the exact values, and draw each answer when it comes. */
  consider(turn) {
    const { state } = this.session;
    const draw = () => { if (turn === this.turn) this.drawValues(state); };
    this.opinions = new Map();
    this.asked = new Map(this.shown().map((agent) => [agent.name, agent.ask(state)]));
    for (const [name, answer] of this.asked) {
      answer.then((opinion) => { if (turn === this.turn) this.opinions.set(name, opinion); }).then(draw);
    }
    Promise.resolve(this.game.solve(state)).then(draw);
    draw();
  }

  drawValues(state) {
    const { game } = this;
    this.find("facts").textContent = this.facts(state);
    this.find("moves-part").hidden = game.isOver(state);
    if (game.isOver(state)) {
      this.find("agents").replaceChildren();
      this.find("moves").replaceChildren();
      return;
    }
    const legal = game.legal(state);
    const columns = this.shown().map(({ name }) => {
      const opinion = this.opinions.get(name) ?? { known: false, waits: true, moves: [] };
      return { name, opinion: { ...opinion, moves: opinion.moves.map((one, place) => ({ ...one, ...legal[place] })) } };
    });
    this.find("agents").replaceChildren(...columns.map(({ name, opinion }) => agentFigure(game, state, name, opinion)));
    const head = element("tr", {}, ...["Move", "Exact", ...columns.map((one) => one.name)].map(
      (text) => element("th", { scope: "col", text })));
    const rows = legal.map((move, place) => {
      const cells = columns.map(({ opinion }) => opinionCell(opinion, opinion.moves[place]));
      return element("tr", {}, element("th", { scope: "row", title: placeName(game, move.action), text: move.name }), exactCell(move), ...cells);
    });
    this.find("moves").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }
}

function exactCell(move) {
  if (move.value === undefined) return element("td", { class: "unknown", text: "·" });
  const tick = move.regret ? "" : element("span", { class: "tick", title: "keeps the value", text: "✓" });
  return element("td", { class: move.regret ? "worse" : "best" }, outcome(move), tick);
}

function opinionCell(opinion, move) {
  if (opinion.waits) return element("td", { class: "unknown", text: "…" });
  if (opinion.error) return element("td", { class: "unknown", title: opinion.error, text: "no answer" });
  if (!opinion.known) return element("td", { class: "unknown", title: "this agent has not learned the position", text: "not learned" });
  const cell = element("td", {}, element("span", { class: "chance", text: percent(move.chance) }));
  if (move.chance > 0) {
    const bar = element("span", { class: move.regret ? "bar bar-loses" : "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", move.chance);
    cell.prepend(bar);
  }
  if (move.agentValue !== null) cell.append(element("span", { class: "value", text: signed(move.agentValue) }));
  if (move.visits) cell.append(element("span", { class: "value", title: "visits of the search", text: `(${move.visits})` }));
  return cell;
}
