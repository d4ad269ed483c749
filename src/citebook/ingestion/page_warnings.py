"""Warnings about pages, told once for all the pages that they hold for."""

_NAMED = 3


class PageWarnings:
    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def add(self, file: str, warning: str) -> None:
        files = self._files.setdefault(warning, [])
        if file not in files[-1:]:
            files.append(file)

    def lines(self) -> list[str]:
        """One for each warning."""
        return [about_pages(warning, files) for warning, files in self._files.items()]


def about_pages(warning: str, files: list[str]) -> str:
    """The warning with its file, or with the first few of its files."""
    if len(files) == 1:
        return f"{files[0]}: {warning}"
    named = ", ".join(files[:_NAMED])
    return f"{len(files)} pages: {warning} ({named}{', …' if len(files) > _NAMED else ''})"
