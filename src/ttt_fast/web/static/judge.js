// What the agents make of a position: who loses value there, and whether they disagree.

const EPSILON = 1e-3;

/** Return, up to symmetry, the moves that an agent prefers in a state: the positions to which they lead. */
function favourites(game, moves) {
  const most = Math.max(...moves.map((move) => move.chance));
  return new Set(moves.filter((move) => move.chance > most - EPSILON).map((move) => game.representative[move.child]));
}

/** Whether the favourite moves of two agents that know a state have none in common, up to symmetry. */
export function disagree(game, agents, state) {
  if (game.isOver(state)) return false;
  const sets = agents.filter((agent) => agent.knows(state)).map((agent) => favourites(game, agent.opinion(state)));
  return sets.some((one, place) => sets.slice(place + 1).some((other) => ![...one].some((child) => other.has(child))));
}

/** The regret of an agent in a state, 0 to 2; 0 where it does not know the state. */
export function regret(agent, state) {
  if (!agent.knows(state)) return 0;
  return agent.opinion(state).reduce((sum, move) => sum + move.chance * move.regret, 0);
}
