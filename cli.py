"""`python cli.py …` is `ttt-fast …`."""

from ttt_fast.cli.main import main

if __name__ == "__main__":
    main()
