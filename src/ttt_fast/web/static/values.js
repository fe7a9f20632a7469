// What is known about the moves of a position: as marks on the board with a legend, as a table, and as a hint.

import { agentFigure, element, outcome, percent, placeName, signed } from "page/draw";
import { SEATS } from "page/game";

const RESULT = ["loss", "draw", "win"];

/** The best of exact moves: of several that win the fastest, of those that lose the slowest; none if any is unknown. */
export function bestMoves(legal) {
  if (legal.some((move) => move.value === undefined)) return [];
  const kept = legal.filter((move) => !move.regret);
  const rank = (move) => -Math.sign(move.value) * move.plies;
  const most = Math.max(...kept.map(rank));
  return kept.filter((move) => rank(move) === most);
}

/** The moves that an agent plays with the largest probability. */
function favourites(opinion) {
  const most = Math.max(...opinion.moves.map((move) => move.chance));
  return opinion.moves.filter((move) => move.chance === most);
}

/** An agent's view of a state, with the actions and the exact values of the moves. */
export function joined(opinion, legal) {
  return { ...opinion, moves: opinion.moves.map((one, place) => ({ ...one, ...legal[place] })) };
}

/** What the board shows of each move, by action: exact results where they are known, else the view of one agent. */
export function notes(legal, name, opinion) {
  const best = bestMoves(legal);
  if (best.length > 0) {
    return new Map(legal.map((move) => {
      const [kind, left] = [RESULT[move.value + 1], move.plies + 1];
      return [move.action, { kind, text: move.value && move.plies !== null ? `${kind} ${left}` : kind, words: outcome(move), isBest: best.includes(move) }];
    }));
  }
  if (!opinion?.known || opinion.moves.length === 0) return new Map();
  const liked = favourites(opinion);
  return new Map(opinion.moves.map((move) => {
    const text = move.agentValue === null ? `${Math.round(100 * move.chance)} %` : short(move.agentValue);
    return [move.action, { kind: "view", text, words: `${name}: ${text}`, isBest: liked.includes(move) }];
  }));
}

/** A value that fits a small cell: "+.25". */
function short(value) {
  return Math.abs(value) < 100 ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2).replace(/^0/, "")}` : signed(value);
}

/** The legend of those marks: what the words, numbers, colours and frames mean. */
export function legend(game, state, shown, name) {
  const seat = SEATS[state.player];
  const item = (kind, sample, words) => element("li", {}, element("span", { class: "sample", "data-note": kind, text: sample }), words);
  const kinds = new Set([...shown.values()].map((one) => one.kind));
  if (kinds.size === 0) return [element("li", { text: `No values to show: ${game.verdict(state).text}.` })];
  if (kinds.has("view")) {
    const values = [...shown.values()].some((one) => !one.text.endsWith("%"));
    return [
      item("view", values ? "+.25" : "40 %", values
        ? `${name}'s own estimate of the move for ${seat}: the larger, the better` : `the probability that ${name} plays the move`),
      item("view best", "frame", `the move that ${name} prefers; no exact value is known here`),
    ];
  }
  return [
    item("win", "win 5", `${seat} wins in 5 plies: the moves of both sides, counted together`),
    item("draw", "draw", "neither side wins"),
    item("loss", "loss 4", `${seat} loses in 4 plies`),
    item([...shown.values()].find((one) => one.isBest).kind.concat(" best"), "frame", `best for ${seat}: the fastest win, else a draw, else the slowest loss`),
    element("li", { text: "All this is exact: both sides play their best from then on. A black ring or dot marks the last move." }),
  ];
}

/** A move as a hint names it: as the board and the list of moves do. */
function named(game, action) {
  return game.shape.kind === "cells" ? `cell ${game.moves[action]}` : placeName(game, action);
}

/** A hint in words with its action: a best move where exact values are known, else the move that an agent prefers. */
export function hint(game, legal, name, opinion) {
  const [best] = bestMoves(legal);
  if (best) return { action: best.action, text: `Hint: ${named(game, best.action)}, ${outcome(best)} (exact).` };
  if (!opinion?.known || opinion.moves.length === 0) return { text: "No hint: neither an exact value nor an agent's move is known here." };
  const action = opinion.plays ?? favourites(joined(opinion, legal))[0].action;
  return { action, text: `Hint: ${named(game, action)}, the choice of ${name} (no exact value is known).` };
}

/** The pictures of the agents' moves, and the head and the body of the table of all moves. */
export function tableOf(game, state, legal, columns) {
  const head = element("tr", {}, ...["Move", "Exact", ...columns.map((one) => one.name)].map(
    (text) => element("th", { scope: "col", text })));
  const best = bestMoves(legal);
  const rows = legal.map((move, place) => element("tr", {},
    element("th", { scope: "row", title: placeName(game, move.action), text: move.name }), exactCell(move, best.includes(move)),
    ...columns.map(({ opinion }) => opinionCell(opinion, opinion.moves[place]))));
  return {
    figures: columns.map(({ name, opinion }) => agentFigure(game, state, name, opinion)),
    table: [element("thead", {}, head), element("tbody", {}, ...rows)],
  };
}

/** A tick stands only beside a move that keeps a win or a draw. */
function exactCell(move, isBest) {
  if (move.value === undefined) return element("td", { class: "unknown", text: "·" });
  const mark = move.regret ? null : move.value >= 0
    ? element("span", { class: "tick", title: `keeps the ${RESULT[move.value + 1]}`, text: "✓" })
    : isBest && move.plies !== null ? element("span", { class: "latest", title: "loses as late as possible", text: "latest" }) : null;
  return element("td", { class: move.regret ? "worse" : isBest || move.value >= 0 ? "best" : "" }, outcome(move), mark);
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
