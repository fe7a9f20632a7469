// The start of the page: the data become a game and agents, and the address chooses the view.

import { parsed } from "page/address";
import { AtlasView } from "page/atlas";
import { TableAgent, TableGame } from "page/game";
import { PlayView } from "page/play";

const data = JSON.parse(document.getElementById("data").textContent);
const game = new TableGame(data);
const agents = data.agents.map((one) => new TableAgent(game, one));
const views = {};
for (const [name, kind] of [["play", PlayView], ["atlas", AtlasView]]) {
  views[name] = new kind(game, agents, document.getElementById(`${name}-view`));
}

let current = "";

async function go() {
  const { view, settings } = parsed(location.hash);
  const shown = view in views ? view : "play";
  for (const [name, one] of Object.entries(views)) {
    one.place.hidden = name !== shown;
    const link = document.querySelector(`nav a[data-view="${name}"]`);
    if (name === shown) link.setAttribute("aria-current", "page");
    else { link.removeAttribute("aria-current"); one.close(); }
  }
  if (shown !== current) scrollTo(0, 0);
  current = shown;
  await views[shown].open(settings);
}

addEventListener("hashchange", go);
await go();
document.body.dataset.ready = "yes";
