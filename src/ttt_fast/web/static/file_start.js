// The start of a page of a game without a table: the data name the module that makes the game and its agents.

import { parsed } from "page/address";
import { PlayView } from "page/play";
import { YOU } from "page/session";

const data = JSON.parse(document.getElementById("data").textContent);
const { load } = await import(`page/${data.module}`);
const { game, agents } = await load(data);
const place = document.getElementById("play-view");
const view = new PlayView(game, agents, place);
const first = agents[0]; // the opponent of the person, who plays X unless it plays nothing else
view.usual = first.seat === 1 ? { x: first.name, o: YOU } : { x: YOU, o: first.name };

async function go() { await view.open(parsed(location.hash).settings); }

addEventListener("hashchange", go);
place.hidden = false;
await go();
document.body.dataset.ready = "yes";
