// The start of the server's page: the address names the game, and everything else is asked for.

import { parsed } from "page/address";
import { LiveGame, server } from "page/live_game";
import { LivePlayView } from "page/live_play";

const { games } = JSON.parse(document.getElementById("data").textContent);
const loading = document.getElementById("loading");
server.addEventListener("preparing", ({ detail }) => { if (detail) loading.textContent = `Preparing the game: ${detail}`; });
const place = document.getElementById("play-view");
const view = new LivePlayView(await LiveGame.load(games[0]), games, place);

async function go() { await view.open(parsed(location.hash).settings); }

addEventListener("hashchange", go);
loading.remove();
place.hidden = false;
await go();
document.body.dataset.ready = "yes";
