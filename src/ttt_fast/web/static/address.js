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
