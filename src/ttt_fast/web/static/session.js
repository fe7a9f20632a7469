// One game between two seats, each a person ("you") or an agent's name; nothing here knows of the document.

export const YOU = "you";

export class Session {
  constructor(game, { start = 0, moves = [], x = YOU, o = YOU } = {}) {
    this.game = game;
    this.seats = ["", x, o];
    this.begin(start, moves);
  }

  /** Begin at a state and follow moves as far as they are legal. */
  begin(start = 0, moves = []) {
    this.states = [start];
    this.actions = [];
    for (const action of moves) if (!this.play(action)) break;
  }

  get start() { return this.states[0]; }
  get state() { return this.states.at(-1); }
  get isOver() { return this.game.isOver(this.state); }
  get mover() { return this.isOver ? "" : this.seats[this.game.player[this.state]]; }
  get isYourTurn() { return this.mover === YOU; }

  play(action) {
    const child = this.isOver ? null : this.game.play(this.state, action);
    if (child === null) return false;
    this.states.push(child);
    this.actions.push(action);
    return true;
  }

  /** The number of moves that stay after an undo: up to the person's last decision; -1 where there is none. */
  get undoTo() {
    const isYours = (ply) => this.seats[this.game.player[this.states[ply]]] === YOU;
    for (let ply = this.actions.length - 1; ply >= 0; ply--) if (isYours(ply)) return ply;
    return this.seats.includes(YOU) ? -1 : this.actions.length - 1;
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
