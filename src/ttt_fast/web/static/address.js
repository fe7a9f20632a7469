// The part of the address behind "#": the view and its settings, so that every view has a link.

/** Return the view and its settings: "#atlas?ply=3" is {view: "atlas", settings: {ply: "3"}}. */
export function parsed(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split("?");
  return { view: view || "play", settings: Object.fromEntries(new URLSearchParams(query)) };
}

/** Return the address of a view; settings that are empty are left out. */
export function address(view, settings) {
  const kept = Object.entries(settings).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(kept).toString();
  return `#${view}${query ? `?${query}` : ""}`;
}

/** Show an address without a new entry in the history; the link to the view leads back there. */
export function show(view, settings) {
  const shown = address(view, settings);
  history.replaceState(null, "", shown);
  document.querySelector(`nav a[data-view="${view}"]`)?.setAttribute("href", shown); // a page of one view has no links
}

/** Actions as the address writes them: by the names of their moves, as on the command line; by numbers where those are sentences. */
export function written(game, actions) {
  return actions.map((action) => (game.shape.kind === "text" ? action : game.moves[action])).join(".");
}

/** The actions of a text of an address; NaN, which is never legal, for what names no move. */
export function actionsOf(game, text) {
  const names = new Map(game.moves.map((name, action) => [game.shape.kind === "text" ? String(action) : name, action]));
  return text === "" ? [] : text.split(".").map((name) => names.get(name) ?? NaN);
}
