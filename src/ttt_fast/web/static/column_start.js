// The start of a page of Connect 4: the data become agents, and the address chooses the line of play.

import { parsed } from "page/address";
import { ColumnGame, ProvenAgent } from "page/column_game";
import { PlayView } from "page/play";
import { YOU } from "page/session";

const data = JSON.parse(document.getElementById("data").textContent);
const game = new ColumnGame(data);
const agents = data.agents.map((one) => new ProvenAgent(game, one));
const place = document.getElementById("play-view");
const view = new PlayView(game, agents, place);
const seatOf = (seat) => agents.find((agent) => agent.seat === seat)?.name ?? YOU;
view.usual = { x: seatOf(1), o: seatOf(2) };

async function go() { await view.open(parsed(location.hash).settings); }

addEventListener("hashchange", go);
place.hidden = false;
await go();
document.body.dataset.ready = "yes";
