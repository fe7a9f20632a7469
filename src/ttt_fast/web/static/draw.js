// Elements of the document: boards, and numbers as text.  Text is set as text, never as HTML.

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

/** The result of a move for its player, in words. */
export function outcome(move) {
  const left = move.plies + 1;
  return `${["loss", "draw", "win"][move.value + 1]} in ${left}`;
}

/** Return the name of a cell or a column for who cannot see it. */
export function placeName(game, action) {
  if (game.shape.kind === "cells") {
    return `row ${Math.floor(action / game.shape.columns) + 1}, column ${(action % game.shape.columns) + 1}`;
  }
  return game.shape.kind === "columns" ? `column ${game.moves[action]}` : game.moves[action];
}

function markSpan(mark) {
  return element("span", { class: `mark mark-${mark.toLowerCase()}`, "aria-hidden": "true", text: mark });
}

/** Return a picture of a position, with the chances of an agent's moves where `moves` is given. */
export function picture(game, state, label, moves = null) {
  if (game.shape.kind === "text") {
    const played = (moves || []).filter((move) => move.chance > 0);
    const text = moves ? played.map((move) => `${move.name} ${percent(move.chance)}${move.lost > 0 ? " loses" : ""}`).join("\n") : game.boards[state];
    return element("pre", { class: "text-board", role: "img", "aria-label": label, text });
  }
  const { rows, columns, kind } = game.shape;
  const board = element("div", { class: `picture columns-${columns}`, role: "img", "aria-label": label });
  const byAction = new Map((moves || []).map((move) => [move.action, move]));
  const marks = [...game.marks(state)];
  for (let cell = 0; cell < rows * columns; cell++) {
    const mark = marks[cell];
    const isFree = mark === ".";
    const lands = kind === "cells" || marks[cell + columns] !== ".";
    const move = isFree && lands ? byAction.get(kind === "cells" ? cell : cell % columns) : undefined;
    const spot = element("span", { class: "spot" });
    if (!isFree) spot.append(markSpan(mark));
    else if (move && move.chance > 0) {
      spot.classList.add("played", `heat-${Math.max(1, Math.ceil(move.chance * 4))}`);
      if (move.lost > 0) spot.classList.add("loses");
      spot.append(element("span", { class: "share", "aria-hidden": "true", text: `${Math.max(1, Math.round(100 * move.chance))}` }));
    }
    board.append(spot);
  }
  return board;
}

/** Return a picture of an agent's moves in a state with its name, and the value that they lose on average. */
export function agentFigure(game, state, name, opinion) {
  const caption = element("figcaption", { text: name });
  if (!opinion.known) {
    const board = picture(game, state, `${name} has not learned the position`);
    return element("figure", {}, board, caption, element("span", { class: "small", text: "not learned" }));
  }
  const lost = opinion.moves.reduce((sum, move) => sum + move.chance * move.lost, 0);
  const note = lost > 0 ? element("span", { class: "small loss", text: `loses ${lost < 0.01 ? "<0.01" : lost.toFixed(2)}` }) : null;
  return element("figure", {}, picture(game, state, playedText(name, opinion.moves), opinion.moves), caption, note);
}

/** What an agent plays, in words. */
export function playedText(name, moves) {
  const played = moves.filter((move) => move.chance > 0);
  const words = played.map((move) => `${move.name} ${percent(move.chance)}${move.lost > 0 ? ", which loses value" : ""}`);
  return `${name} plays ${words.join("; ")}`;
}

/** Return the board on which a person plays: buttons that call `choose` with an action. */
export function playBoard(game, state, canPlay, choose) {
  const legal = new Map(game.legal(state).map((move) => [move.action, move]));
  const button = (action, name, ...children) => element("button", {
    type: "button", class: "cell", "data-action": action, "aria-label": name, "aria-disabled": !(canPlay && legal.has(action)) && "true",
    onclick: () => canPlay && legal.has(action) && choose(action),
  }, ...children);
  const { kind, columns } = game.shape;
  const board = element("div", { class: `board board-${kind} columns-${columns}`, role: "group", "aria-label": "board" });
  const marks = [...game.marks(state)];
  if (kind === "cells") {
    marks.forEach((mark, cell) => {
      const held = mark === "." ? "empty" : mark;
      board.append(button(cell, `${placeName(game, cell)}: ${held}`, mark === "."
        ? element("span", { class: "cell-name", "aria-hidden": "true", text: game.moves[cell] }) : markSpan(mark)));
    });
  } else {
    board.append(picture(game, state, `position ${game.boards[state]}`));
    const moves = element("div", { class: "move-buttons" });
    const actions = kind === "columns" ? game.moves.map((_, action) => action) : [...legal.keys()];
    for (const action of actions) moves.append(button(action, placeName(game, action), game.moves[action]));
    board.append(moves);
  }
  roam(board, kind === "cells" ? columns : 0);
  return board;
}

/** Let arrow keys move the focus among a board's buttons, of which one can be reached by Tab. */
function roam(board, columns) {
  const buttons = [...board.querySelectorAll("button")];
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
