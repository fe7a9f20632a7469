// The view of a game on the server: its game is chosen, agents are typed, and more of them may be asked.

import { element } from "page/draw";
import { LiveAgent, LiveGame, server } from "page/live_game";
import { PlayView } from "page/play";
import { YOU } from "page/session";

const LARGEST_SEED = 2 ** 31;

export class LivePlayView extends PlayView {
  constructor(game, games, place) {
    super(game, [], place);
    this.games = games;
    this.typed = []; // agents that the user has spelled
    this.asked_too = []; // agents in no seat whose views are shown
    this.fill();
    server.addEventListener("preparing", ({ detail }) => this.prepare(detail));
    this.find("game").addEventListener("change", () => this.open({ game: this.find("game").value }));
    this.find("ask-too").addEventListener("change", () => {
      this.askToo(this.find("ask-too").value);
      this.update();
    });
    this.find("typed-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.find("typed").value.trim();
      if (!name) return;
      this.learn(name);
      this.askToo(name);
      this.find("typed").value = "";
      this.say("");
      this.update();
      const turn = this.turn;
      this.opinionOf(name).then(({ error }) => { if (error && turn === this.turn) this.say(`${name}: ${error}`); });
    });
  }

  /** Let everything be chosen that there is. */
  fill() {
    const names = [...new Set([...this.game.agents.map((one) => one.agent), ...this.typed])];
    const option = (value, text = value) => element("option", { value, text });
    this.offer([YOU, ...names]);
    this.find("game").replaceChildren(...this.games.map((name) => option(name)));
    this.find("game").value = this.game.spec;
    this.find("ask-too").replaceChildren(option("", "an agent …"), ...names.map((name) => option(name)));
    const usual = names.includes("minimax") && this.game.shape.kind === "cells" ? "minimax" : "mcts-best";
    this.usual = { x: YOU, o: names.includes(usual) ? usual : names[0] };
  }

  /** Take up an agent that the user has spelled. */
  learn(name) {
    if (this.knows(name)) return;
    this.typed.push(name);
    this.fill();
  }

  knows(name) { return [...this.find("x").options].some((one) => one.value === name); }

  askToo(name) {
    if (name && !this.asked_too.includes(name)) this.asked_too.push(name);
  }

  shown() {
    const seats = this.session.seats.filter((name) => name && name !== YOU);
    return [...new Set([...seats, ...this.asked_too])].map((name) => this.agent(name));
  }

  agent(name) { return new LiveAgent(this.game, name); }

  viewed() { return this.asked_too[0] ?? super.viewed() ?? this.usual.o; }

  adviser() { return this.asked_too[0] ?? this.usual.o; } // the agent in a seat may be a weak one

  /** Load another game; nothing is asked of the one before. */
  async change(spec) {
    const game = await LiveGame.load(spec);
    this.game.leave();
    this.game = game;
    if (!this.games.includes(spec)) this.games.push(spec);
    this.asked_too = this.asked_too.filter((name) => this.typed.includes(name) || game.agents.some((one) => one.agent === name));
    this.fill();
  }

  async open({ game = this.game.spec, asked = "", seed = "", ...settings }) {
    this.say("");
    if (game !== this.game.spec) {
      await this.guarded(() => this.change(game));
      const [, x, o] = this.session.seats.map((seat) => (this.knows(seat) ? seat : undefined));
      settings = { x, o, ...settings };
    }
    for (const name of [settings.x, settings.o, ...asked.split("|")]) if (name) this.learn(name);
    for (const name of asked.split("|")) this.askToo(name);
    this.game.seed = /^\d{1,15}$/.test(seed) ? Number(seed) : Math.floor(LARGEST_SEED * Math.random());
    await this.guarded(() => super.open(settings));
  }

  async restart(start) {
    this.game.seed++;
    await this.guarded(() => super.restart(start));
  }

  settings(moves) {
    return { game: this.game.spec, ...super.settings(moves), seed: this.game.seed, asked: this.asked_too.join("|") };
  }

  update() {
    this.game.leave();
    this.drawAsked();
    super.update();
  }

  drawAsked() {
    this.find("ask-too").value = "";
    this.find("asked").replaceChildren(...this.asked_too.map((name) => element("li", {}, element("button", {
      type: "button", "aria-label": `ask ${name} no more`, text: `${name} ✕`,
      onclick: () => { this.asked_too = this.asked_too.filter((one) => one !== name); this.update(); },
    }))));
    this.find("asked").hidden = this.asked_too.length === 0;
  }

  /** Do something for which the server is needed, and say so if it fails. */
  async guarded(act) {
    try {
      await act();
    } catch (error) {
      this.say(error.message);
    }
  }

  /** Lock the board while the server compiles for an answer, and say how long. */
  prepare(compiling) {
    this.find("board").inert = compiling !== "";
    this.find("preparing").hidden = compiling === "";
    this.find("preparing").textContent = compiling && `Preparing: ${compiling}`;
  }

  say(words) {
    this.find("problem").textContent = words;
    this.find("problem").hidden = words === "";
  }
}
