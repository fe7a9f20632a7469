"""The calls of python-chess and those of ttt_fast beside each other; docs/COMING_FROM.md has them as a table."""

import ttt_fast


def theirs():
    """Run the calls of python-chess."""
    import random

    import chess
    import chess.engine
    import chess.syzygy

    board = chess.Board()
    assert board.turn is chess.WHITE is True and board.legal_moves.count() == 20
    move = board.parse_san("e4")
    assert board.san(move) == "e4" and move in board.legal_moves and move == chess.Move.from_uci("e2e4")
    board.push(move)
    board.push_san("e5")
    assert board.ply() == 2 and board.parse_san("Nf3") == chess.Move.from_uci("g1f3")
    print(board)
    assert board.fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
    try:
        board.push_san("Ke4")
    except ValueError as error:
        assert isinstance(error, chess.IllegalMoveError)
    else:
        raise AssertionError
    assert board.outcome() is None and not board.is_game_over()
    board.push(random.choice(list(board.legal_moves)))
    board.pop()
    assert board.ply() == 2
    mated = chess.Board("8/8/8/8/8/2k5/1q6/K7 w - - 0 1")
    assert mated.is_game_over() and mated.outcome().winner is chess.BLACK

    engine = chess.engine.SimpleEngine  # its calls need a program
    assert callable(engine.popen_uci) and callable(engine.play) and callable(engine.analyse)
    assert chess.engine.Limit(depth=8).depth == 8 and callable(chess.syzygy.open_tablebase)


def ours():
    """Run the calls of ttt_fast."""
    game = ttt_fast.parse_game("connect4")
    state = game.initial_state
    assert game.player(state) == ttt_fast.Seat.X and game.legal_actions(state) == [0, 1, 2, 3, 4, 5, 6]
    state = game.play(state, 3)
    state = game.state_after("4", state)
    assert game.parse_moves("44") == [3, 3] and game.format_moves([3, 3]) == "44" and len(game.parse_moves("44")) == 2
    assert game.format_position(state) == "......./......./......./......./...O.../...X..."
    print(state)
    assert game.parse_position("......./......./......./......./...O.../...X...") == state == game.state_after("44")
    full = game.state_after("4444")
    try:
        game.state_after("444", full)
    except ttt_fast.BoardError as error:
        assert isinstance(error, ValueError)
    else:
        raise AssertionError
    over = game.state_after("1122334")
    is_over = game.status(state) != ttt_fast.Status.ONGOING
    assert not is_over and game.status(over) == ttt_fast.Status.X_WINS

    assert ttt_fast.as_player("random", game).search(state).action in game.legal_actions(state)
    player = ttt_fast.as_player("alphabeta:depth=8", game)
    state = game.state_after("112233")  # X wins at once
    values = player.action_values(state)
    assert player.search(state).action == 3 and max(values.values()) == values[3]
    solved = ttt_fast.Solver(table_mb=1).action_scores((state.own, state.occupied))
    assert [one.action for one in solved.actions if one.is_best] == [3]
    config = ttt_fast.ContestConfig(4, game="connect4")
    assert ttt_fast.contest("alphabeta:depth=4", "random", config).summary[0]["score"] > 0.5
    assert ttt_fast.perft(game, 4) == 7**4


if __name__ == "__main__":
    theirs()
    ours()
