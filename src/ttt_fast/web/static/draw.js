// Elements of the document: boards, and numbers as text.  Text is set as text, never as HTML.

import { SEATS } from "page/game";

/** Return a new element with attributes, and children that are elements or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function percent(chance) {
  if (chance === 0) return "·";
  const share = 100 * chance;
  return share > 99.95 ? "100 %" : `${share < 0.1 ? "<0.1" : share.toFixed(1)} %`;
}

export function signed(value) {
  const digits = Math.abs(value) < 100 ? 3 : 0;
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
}

/** The result of a move for its player, in words; nothing where it is not known. */
export function outcome(move) {
  if (move.value === undefined) return "";
  const result = ["loss", "draw", "win"][move.value + 1];
  return move.plies === null ? result : `${result} in ${move.plies + 1}`;
}

/** Return the name of a cell or a column for who cannot see it. */
export function placeName(game, action) {
  if (game.shape.kind === "cells") {
    return `row ${Math.floor(action / game.shape.columns) + 1}, column ${(action % game.shape.columns) + 1}`;
  }
  if (game.shape.kind === "boards") return `board ${Math.floor(action / 9) + 1}, cell ${(action % 9) + 1}`;
  return game.shape.kind === "columns" ? `column ${game.moves[action]}` : game.moves[action];
}

/** Return a grid of elements; the number of columns is set by script, since the page allows no style attributes. */
function inColumns(columns, attributes, cells) {
  const made = element("div", attributes, ...cells);
  made.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  return made;
}

/** Return the cells of a board in a grid, each made by `make`; in Ultimate nine small boards of nine cells each. */
function grid(game, state, name, make) {
  const { rows, columns, kind } = game.shape;
  if (kind !== "boards") {
    const cells = Array.from({ length: rows * columns }, (_, cell) => make(cell));
    return inColumns(columns, { class: name }, cells);
  }
  const open = new Set(game.legal(state).map((move) => Math.floor(move.action / 9)));
  const boards = Array.from({ length: 9 }, (_, number) => {
    const winner = state.boards[number];
    const words = [`board ${number + 1}`, winner === "." ? "" : `won by ${winner}`, open.has(number) ? "in play" : ""];
    const marked = ["small-board", winner === "." ? "" : `won-${winner.toLowerCase()}`, open.has(number) ? "in-play" : ""];
    const cells = Array.from({ length: 9 }, (_, cell) => make(9 * number + cell));
    return inColumns(3, { class: marked.filter(Boolean).join(" "), role: "group", "aria-label": words.filter(Boolean).join(", ") }, cells);
  });
  return inColumns(3, { class: `${name} nested` }, boards);
}

/** The classes of a cell that the last move marked, or that is in the line that won. */
function traces(state, cell) {
  return `${state.last === cell ? " last" : ""}${state.line.includes(cell) ? " in-line" : ""}`;
}

/** Whether a stone of a column comes to lie in a cell. */
function landsIn(marks, cell, columns) { return marks[cell] === "." && marks[cell + columns] !== "."; }

function markSpan(mark) {
  return element("span", { class: `mark mark-${mark.toLowerCase()}`, "aria-hidden": "true", text: mark });
}

/** Return a picture of a position, with the chances of an agent's moves where `moves` is given. */
export function picture(game, state, label, moves = null) {
  if (game.shape.kind === "text") {
    const played = (moves || []).filter((move) => move.chance > 0);
    const text = moves ? played.map((move) => `${move.name} ${percent(move.chance)}${move.regret > 0 ? " loses" : ""}`).join("\n") : state.text;
    return element("pre", { class: "text-board", role: "img", "aria-label": label, text });
  }
  const { columns, kind } = game.shape;
  const byAction = new Map((moves || []).map((move) => [move.action, move]));
  const marks = [...state.marks];
  const board = grid(game, state, "picture", (cell) => {
    const isFree = marks[cell] === ".";
    const lands = kind !== "columns" || landsIn(marks, cell, columns);
    const move = isFree && lands ? byAction.get(kind === "columns" ? cell % columns : cell) : undefined;
    const spot = element("span", { class: `spot${traces(state, cell)}` });
    if (!isFree) spot.append(markSpan(marks[cell]));
    else if (move && move.chance > 0) {
      spot.classList.add("played", `heat-${Math.max(1, Math.ceil(move.chance * 4))}`);
      if (move.regret > 0) spot.classList.add("loses");
      spot.append(element("span", { class: "share", "aria-hidden": "true", text: `${Math.max(1, Math.round(100 * move.chance))}` }));
    }
    return spot;
  });
  for (const one of board.querySelectorAll("[role=group]")) one.removeAttribute("role"), one.removeAttribute("aria-label");
  board.setAttribute("role", "img");
  board.setAttribute("aria-label", label);
  return board;
}

/** Return a picture of an agent's moves in a state with its name, and the value that they lose on average. */
export function agentFigure(game, state, name, opinion) {
  const caption = element("figcaption", { text: name });
  if (!opinion.known) {
    const [label, note] = opinion.waits ? [`${name} is thinking`, "thinking …"]
      : opinion.error ? [`${name} has not answered`, opinion.error] : [`${name} has not learned the position`, "not learned"];
    return element("figure", {}, picture(game, state, label), caption, element("span", { class: "small", text: note }));
  }
  const lost = opinion.moves.reduce((sum, move) => sum + move.chance * (move.regret ?? 0), 0);
  const note = lost > 0 ? element("span", { class: "small loss", text: `loses ${lost < 0.01 ? "<0.01" : lost.toFixed(2)} of the value` }) : null;
  return element("figure", {}, picture(game, state, playedText(name, opinion.moves), opinion.moves), caption, note);
}

/** What an agent plays, in words. */
export function playedText(name, moves) {
  const played = moves.filter((move) => move.chance > 0);
  const words = played.map((move) => `${move.name} ${percent(move.chance)}${move.regret > 0 ? ", which loses value" : ""}`);
  return `${name} plays ${words.join("; ")}`;
}

/** Return the board on which a person plays: buttons that call `choose` with an action. */
export function playBoard(game, state, canPlay, choose, isFresh) {
  const legal = new Map(game.legal(state).map((move) => [move.action, move]));
  const button = (action, name, ...children) => element("button", {
    type: "button", class: "cell", "data-action": action, "data-name": name, "aria-label": name,
    "aria-disabled": !(canPlay && legal.has(action)) && "true", onclick: () => canPlay && legal.has(action) && choose(action),
  }, ...children, element("span", { class: "note", "aria-hidden": "true" }));
  const { kind, columns } = game.shape;
  const closed = state.status ? " over" : canPlay ? "" : " waits";
  const board = element("div", { class: `board board-${kind}${closed}`, role: "group", "aria-label": "board" });
  if (kind === "cells" || kind === "boards") {
    const marks = [...state.marks];
    const cells = grid(game, state, "cells", (cell) => {
      const mark = marks[cell];
      const named = kind === "cells" && mark === ".";
      const made = button(cell, `${placeName(game, cell)}: ${mark === "." ? "empty" : mark}`, mark === "."
        ? element("span", { class: "cell-name", "aria-hidden": "true", text: named ? game.moves[cell] : "" }) : markSpan(mark));
      made.className += traces(state, cell);
      return made;
    });
    board.append(cells);
    roam(kind === "cells" ? [...cells.querySelectorAll("button")] : rowByRow(cells), board, columns);
    return board;
  }
  board.append(picture(game, state, `position ${state.text}`));
  const moves = element("div", { class: "move-buttons" });
  const actions = kind === "columns" ? game.moves.map((_, action) => action) : [...legal.keys()];
  for (const action of actions) moves.append(button(action, placeName(game, action), game.moves[action]));
  board.append(moves);
  if (kind === "columns") asColumns(board, game, state, isFresh);
  roam([...moves.children], board, 0);
  return board;
}

/** Let a click into the picture of a column press its button, show the column under the pointer, and let a new disc fall. */
function asColumns(board, game, state, isFresh) {
  const { columns } = game.shape;
  const spots = [...board.querySelectorAll(".spot")];
  spots.forEach((spot, cell) => {
    spot.dataset.column = cell % columns;
    if (!state.status && landsIn(state.marks, cell, columns)) spot.dataset.lands = SEATS[state.player].toLowerCase();
  });
  if (isFresh) {
    spots[state.last].classList.add("falls");
    spots[state.last].style.setProperty("--rows", Math.floor(state.last / columns) + 1);
  }
  const point = (event) => {
    const over = event.target.closest("[data-column], [data-action]");
    const column = over?.dataset.column ?? over?.dataset.action;
    for (const one of board.querySelectorAll("[data-column], [data-action]")) {
      one.classList.toggle("pointed", event.type !== "pointerleave" && (one.dataset.column ?? one.dataset.action) === column);
    }
  };
  for (const type of ["pointerover", "pointerleave", "focusin"]) board.addEventListener(type, point);
  board.firstChild.addEventListener("click", (event) => {
    const column = event.target.closest(".spot")?.dataset.column;
    if (column !== undefined) board.querySelector(`[data-action="${column}"]`).click();
  });
}

/** Write what is known about moves on a board, by action, and mark the move of a hint; the buttons stay the same. */
export function annotate(board, shown, hinted) {
  for (const one of board.querySelectorAll("[data-action]")) {
    const action = Number(one.dataset.action);
    const note = shown.get(action);
    for (const part of [one, ...board.querySelectorAll(`[data-lands][data-column="${action}"]`)]) {
      part.dataset.note = note ? `${note.kind}${note.isBest ? " best" : ""}` : "";
      part.classList.toggle("hinted", action === hinted);
    }
    one.querySelector(".note").textContent = note?.text ?? "";
    one.setAttribute("aria-label", [one.dataset.name, note?.words, action === hinted && "hint"].filter(Boolean).join(", "));
  }
}

/** The buttons of nine small boards in the order of nine rows of nine. */
function rowByRow(cells) {
  const boards = [...cells.children].map((one) => [...one.children]);
  return Array.from({ length: 81 }, (_, place) => {
    const [row, column] = [Math.floor(place / 9), place % 9];
    return boards[3 * Math.floor(row / 3) + Math.floor(column / 3)][3 * (row % 3) + (column % 3)];
  });
}

/** Let arrow keys move the focus among a board's buttons, row by row, of which one can be reached by Tab. */
function roam(buttons, board, columns) {
  buttons.forEach((one, place) => { one.tabIndex = place === 0 ? 0 : -1; });
  board.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(document.activeElement);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -(columns || 1), ArrowDown: columns || 1 };
    const step = steps[event.key];
    if (here < 0 || step === undefined) return;
    event.preventDefault();
    const next = here + step;
    const leaves = columns && Math.abs(step) === 1 && Math.floor(next / columns) !== Math.floor(here / columns);
    if (next < 0 || next >= buttons.length || leaves) return;
    buttons[here].tabIndex = -1;
    buttons[next].tabIndex = 0;
    buttons[next].focus();
  });
}
