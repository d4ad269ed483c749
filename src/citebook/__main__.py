"""`python -m citebook` is `citebook`."""

from citebook.cli import main

if __name__ == "__main__":
    main()
