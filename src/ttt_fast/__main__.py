"""`python -m ttt_fast` is the program `ttt-fast`."""

from ttt_fast.cli.main import main

if __name__ == "__main__":
    main()
