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
    const usual = this.agents.has("minimax") ? "minimax" : agents[0].name;
    this.usual = { x: YOU, o: usual };
    this.session = new Session(game, this.usual);
    this.bind();
  }

  find(name) { return this.place.querySelector(`[data-part="${name}"]`); }

  bind() {
    for (const [number, seat] of [[1, "x"], [2, "o"]]) {
      const select = this.find(seat);
      for (const name of [YOU, ...this.agents.keys()]) select.append(element("option", { value: name, text: name }));
      select.addEventListener("change", () => { this.session.seats[number] = select.value; this.update(); });
    }
    this.find("undo").addEventListener("click", () => { if (this.session.undo()) this.update(); });
    this.find("new").addEventListener("click", () => { this.session.begin(this.session.start); this.update(); });
    this.find("empty").addEventListener("click", () => { this.session.begin(); this.update(); });
    this.find("board").addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const part = { u: "undo", n: "new" }[event.key];
      if (part && !this.find(part).disabled) this.find(part).click();
    });
  }

  /** Take up the settings of an address. */
  open({ start = "", moves = "", x = this.usual.x, o = this.usual.o }) {
    const known = (name, instead) => (name === YOU || this.agents.has(name) ? name : instead);
    const actions = moves === "" ? [] : moves.split(".").map(Number);
    this.session = new Session(this.game, {
      start: this.game.indexOf.get(start) ?? 0, moves: actions, x: known(x, this.usual.x), o: known(o, this.usual.o),
    });
    this.update();
  }

  settings(moves = this.session.actions) {
    const { start, seats } = this.session;
    return { start: start ? this.game.boards[start] : "", moves: moves.join("."), x: seats[1], o: seats[2] };
  }

  /** Stop waiting for an agent. */
  close() { this.turn++; }

  update() {
    const { session } = this;
    this.turn++;
    show("play", this.settings());
    this.find("x").value = session.seats[1];
    this.find("o").value = session.seats[2];
    this.find("undo").disabled = session.undoTo < 0;
    this.find("empty").hidden = session.start === 0;
    this.drawBoard();
    this.find("status").textContent = this.statusText();
    this.find("facts").textContent = this.facts(session.state);
    this.drawHistory();
    this.drawMoves(session.state, this.turn);
    if (!session.isOver && !session.isYourTurn) this.answer(this.turn);
  }

  drawBoard() {
    const old = this.find("board");
    const focused = old.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    const choose = (action) => { if (this.session.play(action)) this.update(); };
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
      const status = game.status[session.state];
      if (status === 3) return "The game is a draw.";
      const yours = session.seats.filter((seat) => seat === YOU).length === 1;
      const result = `${RESULTS[status]}.`;
      return yours ? `${result} ${session.seats[status] === YOU ? "You win!" : "You lose."}` : result;
    }
    const seat = SEATS[game.player[session.state]];
    return session.isYourTurn ? `Your move: ${seat}.` : `${session.mover} is to move: ${seat}.`;
  }

  facts(state) {
    const { game } = this;
    const rule = game.ruleOf(state);
    const play = game.isOver(state) ? "" : "under best play ";
    return `After ${game.ply[state]} plies: ${play}${game.verdict(state)}${rule ? `. Heuribot's class: ${rule}` : ""}.`;
  }

  async answer(turn) {
    const agent = this.agents.get(this.session.mover);
    const [opinion] = await Promise.all([
      agent.ask(this.session.state), new Promise((done) => { setTimeout(done, PAUSE); }),
    ]);
    if (turn !== this.turn) return; // undone, or a new game, in the meantime
    this.session.play(drawn(opinion.moves, Math.random()).action);
    this.update();
  }

  drawHistory() {
    const { session, game } = this;
    const items = session.actions.map((action, ply) => element("li", {}, element("a", {
      href: address("play", this.settings(session.actions.slice(0, ply + 1))),
      "aria-current": ply === session.actions.length - 1 && "step",
      text: `${SEATS[game.player[session.states[ply]]]} ${game.moves[action]}`,
    })));
    this.find("history").replaceChildren(...items);
    this.find("history-part").hidden = items.length === 0;
  }

  async drawMoves(state, turn) {
    const { game } = this;
    const agents = [...this.agents.values()];
    const opinions = await Promise.all(agents.map((agent) => agent.ask(state)));
    if (turn !== this.turn) return;
    this.find("moves-part").hidden = game.isOver(state);
    const figures = agents.map((agent, place) => agentFigure(game, state, agent.name, opinions[place]));
    this.find("agents").replaceChildren(...(game.isOver(state) ? [] : figures));
    const head = element("tr", {}, ...["Move", "Exact", ...agents.map((agent) => agent.name)].map(
      (text) => element("th", { scope: "col", text })));
    const rows = game.legal(state).map((move, place) => {
      const exact = element("td", { class: move.lost ? "worse" : "best" }, outcome(move), move.lost ? "" : element("span", { class: "tick", title: "keeps the value", text: "✓" }));
      const cells = opinions.map((opinion) => opinionCell(opinion, opinion.moves[place]));
      return element("tr", {}, element("th", { scope: "row", title: placeName(game, move.action), text: move.name }), exact, ...cells);
    });
    this.find("moves").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }
}

function opinionCell(opinion, move) {
  if (!opinion.known) return element("td", { class: "unknown", title: "this agent has not learned the position", text: "not learned" });
  const cell = element("td", {}, element("span", { class: "chance", text: percent(move.chance) }));
  if (move.chance > 0) {
    const bar = element("span", { class: move.lost ? "bar bar-loses" : "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", move.chance);
    cell.prepend(bar);
  }
  if (move.agentValue !== null) cell.append(element("span", { class: "value", text: signed(move.agentValue) }));
  return cell;
}
