// The atlas: every position up to symmetry, filtered, with every agent's moves.

import { address, show } from "page/address";
import { agentFigure, element, picture } from "page/draw";
import { RESULTS, SEATS } from "page/game";
import { YOU } from "page/session";

const PART = 36; // positions that are drawn at once
const VALUES = { x: 1, draw: 0, o: -1 };
const ANY = "any agent";
const EPSILON = 1e-3;

/** Return, up to symmetry, the moves that an agent prefers in a state: the positions to which they lead. */
function favourites(game, moves) {
  const most = Math.max(...moves.map((move) => move.chance));
  return new Set(moves.filter((move) => move.chance > most - EPSILON).map((move) => game.states[move.child].representative));
}

/** Whether the favourite moves of two agents that know a state have none in common, up to symmetry. */
function disagree(game, agents, state) {
  if (state.status) return false;
  const sets = agents.filter((agent) => agent.knows(state)).map((agent) => favourites(game, agent.opinion(state)));
  return sets.some((one, place) => sets.slice(place + 1).some((other) => ![...one].some((child) => other.has(child))));
}

/** The regret of an agent in a state, 0 to 2; 0 where it does not know the state. */
function regret(agent, state) {
  if (!agent.knows(state)) return 0;
  return agent.opinion(state).reduce((sum, move) => sum + move.chance * move.regret, 0);
}

export class AtlasView {
  constructor(game, agents, place) {
    this.game = game;
    this.agents = agents;
    this.place = place;
    this.members = new Map(); // the positions of each class, the representative first
    for (const state of game.states) {
      if (state.representative === state.index) this.members.set(state.index, []);
      this.members.get(state.representative).push(state);
    }
    this.filters = [...place.querySelectorAll("[data-filter]")];
    this.losses = new Map(); // by state, the regret of each agent
    this.fill();
    for (const filter of this.filters) filter.addEventListener("change", () => this.update());
    place.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    place.querySelector("[data-part=more]").addEventListener("click", () => this.more());
    place.querySelector("[data-part=clear]").addEventListener("click", () => this.open({}));
  }

  fill() {
    const add = (name, values) => {
      const select = this.filter(name);
      for (const [value, text] of values) select.append(element("option", { value, text }));
    };
    add("ply", [...new Set(this.game.states.map((state) => state.ply))].map((ply) => [ply, ply]));
    add("class", this.game.ruleNames.map((name) => [name, name]));
    add("loses", [[ANY, ANY], ...this.agents.map((agent) => [agent.name, agent.name])]);
    for (const one of [this.filter("class").closest("label"), this.place.querySelector("[data-part=rules]")]) {
      one.hidden = this.game.ruleNames.length === 0;
    }
    this.filter("disagree").closest("label").hidden = this.agents.length < 2;
  }

  filter(name) { return this.filters.find((one) => one.dataset.filter === name); }

  settings() {
    return Object.fromEntries(this.filters.map((one) => [
      one.dataset.filter, one.type === "checkbox" ? (one.checked ? "yes" : "") : one.value,
    ]));
  }

  /** Take up the settings of an address; what is none of a filter's choices counts as all. */
  open(settings) {
    for (const one of this.filters) {
      const wanted = settings[one.dataset.filter] ?? "";
      if (one.type === "checkbox") one.checked = wanted === "yes";
      else one.value = [...one.options].some((option) => option.value === wanted) ? wanted : "";
    }
    this.update();
  }

  close() {}

  /** The regrets of the agents in a state, by name. */
  lossesIn(state) {
    if (!this.losses.has(state)) {
      this.losses.set(state, new Map(this.agents.map((agent) => [agent.name, state.status ? 0 : regret(agent, state)])));
    }
    return this.losses.get(state);
  }

  /** The largest regret in a state of the agents that the filter chooses; all of them where it chooses none. */
  largestLoss(state) {
    const chosen = this.filter("loses").value;
    const losses = this.lossesIn(state);
    return losses.get(chosen) ?? Math.max(...losses.values());
  }

  /** Return what a position must be, as a function. */
  test() {
    const { game, agents } = this;
    const wanted = this.settings();
    return (state) =>
      (wanted.ply === "" || state.ply === Number(wanted.ply))
      && (wanted.value === "" || state.exact.value === VALUES[wanted.value])
      && (wanted.class === "" || state.exact.rule === wanted.class)
      && (wanted.over === "" || (state.status !== 0) === (wanted.over === "yes"))
      && (wanted.loses === "" || this.largestLoss(state) > 0)
      && (wanted.disagree === "" || disagree(game, agents, state));
  }

  update() {
    show("atlas", this.settings());
    const isWanted = this.test();
    this.found = [];
    for (const states of this.members.values()) {
      const first = states.find(isWanted);
      if (first !== undefined) this.found.push(first);
    }
    if (this.filter("order").value === "") this.found.sort((one, other) => this.largestLoss(other) - this.largestLoss(one));
    this.place.querySelector("[data-part=count]").textContent =
      `${this.found.length} of ${this.members.size} positions up to symmetry`;
    this.place.querySelector("[data-part=cards]").replaceChildren();
    this.drawn = 0;
    this.more(false);
  }

  /** Draw the next positions; the focus goes to the first of them. */
  more(moves = true) {
    const cards = this.found.slice(this.drawn, this.drawn + PART).map((state) => this.card(state));
    this.place.querySelector("[data-part=cards]").append(...cards);
    this.drawn += cards.length;
    const left = this.found.length - this.drawn;
    const button = this.place.querySelector("[data-part=more]");
    button.hidden = left === 0;
    button.textContent = `Show ${Math.min(left, PART)} more of ${left}`;
    if (moves && cards.length) cards[0].querySelector("a").focus();
  }

  /** What the player to move can keep in a state, and by how many of the moves. */
  titleOf(state) {
    const { game } = this;
    if (state.status) return `After ${state.ply} plies: ${RESULTS[state.status]}`;
    const moves = game.legal(state);
    const kept = moves.filter((move) => !move.regret);
    const which = moves.length === 1 ? "the only move" : `${kept.length === moves.length ? "all" : `${kept.length} of`} ${moves.length} moves`;
    const verbs = kept.length === 1 ? ["loses", "keeps the draw", "wins"] : ["lose", "keep the draw", "win"];
    return `${SEATS[state.player]} to move: ${which} ${verbs[kept[0].value + 1]}`;
  }

  card(state) {
    const { game } = this;
    const turned = this.members.get(state.representative).length;
    const loss = this.largestLoss(state);
    const words = [`ply ${state.ply}`, state.status ? "" : game.verdict(state).text, state.exact.rule,
      turned > 1 ? `${turned} ways to turn it` : "", loss > 0 ? `largest loss ${loss < 0.01 ? "<0.01" : loss.toFixed(2)}` : ""];
    const boards = [element("figure", { class: "position" },
      picture(game, state, `position ${state.text}`), element("figcaption", { text: "position" }))];
    for (const agent of state.status ? [] : this.agents) {
      boards.push(agentFigure(game, state, agent.name, { known: agent.knows(state), moves: agent.opinion(state) }));
    }
    return element("li", { class: "card", "data-state": state.index },
      element("h3", {}, element("a", {
        href: address("play", { start: state.index ? state.text : "", x: YOU, o: YOU }), text: this.titleOf(state),
      })),
      element("p", { class: "small", text: words.filter(Boolean).join(" · ") }),
      element("div", { class: "boards" }, ...boards));
  }
}
