"""`python -m tandem`: the command line."""

from tandem_program import main

if __name__ == "__main__":
    main()
