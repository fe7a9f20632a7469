// One game between two seats, each a person ("you") or an agent's name; nothing here knows of the document.

export const YOU = "you";

export class Session {
  constructor(game, { x = YOU, o = YOU } = {}) {
    this.game = game;
    this.seats = ["", x, o];
    this.states = [game.first];
    this.actions = [];
  }

  /** Begin at a state and follow moves as far as they are legal. */
  async begin(start = this.game.first, moves = []) {
    const states = await this.game.line(start, moves);
    this.states = [...states];
    this.actions = moves.slice(0, states.length - 1);
  }

  get start() { return this.states[0]; }
  get state() { return this.states.at(-1); }
  get isOver() { return this.state.status !== 0; }
  get mover() { return this.seats[this.state.player]; }
  get isYourTurn() { return this.mover === YOU; }
  get hasPerson() { return this.seats.includes(YOU); }

  /** Play an action, if it is legal, and no other move was made or taken back in the meantime. */
  async play(action) {
    const { state } = this;
    const child = this.isOver ? null : await this.game.play(state, action);
    if (child === null || this.state !== state) return false;
    this.states.push(child);
    this.actions.push(action);
    return true;
  }

  swap() { this.seats = ["", this.seats[2], this.seats[1]]; }

  /** The number of moves that stay after an undo: up to the person's last decision; -1 where there is none. */
  get undoTo() {
    const isYours = (ply) => this.seats[this.states[ply].player] === YOU;
    for (let ply = this.actions.length - 1; ply >= 0; ply--) if (isYours(ply)) return ply;
    return this.hasPerson ? -1 : this.actions.length - 1;
  }

  undo() {
    const ply = this.undoTo;
    if (ply >= 0) this.backTo(ply);
    return ply >= 0;
  }

  backTo(ply) {
    this.states.length = ply + 1;
    this.actions.length = ply;
  }
}
