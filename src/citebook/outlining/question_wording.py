"""Makes a question of a heading, in the words that a reader would type; of a heading that names no subject, none."""

import re

from citebook.language.headings import plain_heading
from citebook.language.languages import Language
from citebook.outlining.asking import recognise

_LONGEST = 90
_MOST_WORDS = 12
_MOST_WORDS_OF_NAME = 5
_DEED = "doing"
"""The group of a form that holds what is done."""
_NAME = re.compile(r"[^\W_][\w+#.-]*(?: [^\W_][\w+#.-]*)*")
_CAPITALISED = re.compile(r"[A-Z][^A-Z\d_-]*[a-z](?:-[A-Z]?[^A-Z\d_-]+)*|A")
_WORD = re.compile(r"(?<![<:])[^\W_][\w'’-]*+(?![<:(!]|\.\w)")
"""What is no code."""
_BREAK = re.compile(r"\s*(?::\s|\s[–—-]\s|\s?—\s?)\s*")
_WITHIN_SENTENCE = r"(?<=[\w,;(] )"


class QuestionWording:
    """For headings of one page, whose text shows how the book writes and uses the words in them."""

    def __init__(self, text: str, language: Language) -> None:
        self._text, self._language = text, language
        self._cues = language.offering

    def of(self, heading: str, opening: str) -> str | None:
        """`opening` is how the section begins."""
        question = self._asked(heading) or self._made(heading, opening)
        return question if question and self._is_fit(question) else None

    def _asked(self, heading: str) -> str | None:
        """A heading that is a question; of several sentences the last one."""
        if not heading.rstrip().endswith("?"):
            return None
        own = _BREAK.split(plain_heading(heading))[-1]
        is_fit = self._cues.asked_headings.match(own) is not None and self._names_something(own)
        return f"{_capital(self._as_written(own))}?" if is_fit else None

    def _made(self, heading: str, opening: str) -> str | None:
        bare = self._bare(plain_heading(heading))
        if not bare or self._cues.naming_nothing.fullmatch(bare):
            return None
        if question := self._by_form(bare) or self._by_deed(bare) or self._by_definition(bare, opening):
            return question
        return self._by_name(bare, opening)

    def _bare(self, heading: str) -> str:
        """Without “Chapter 3:” before it and “: an overview” behind it."""
        before = ""
        while heading != before:
            before = heading
            if found := self._cues.before.match(heading):
                heading = heading[found.end() :]
            heading = _BREAK.split(heading.strip())[0]
            ends = list(self._cues.behind.finditer(heading))
            if ends and ends[-1].end() == len(heading) and ends[-1].start() > 0:
                heading = heading[: ends[-1].start()].strip()
        return heading

    def _by_form(self, heading: str) -> str | None:
        for form in self._cues.forms:
            if found := form.heading.fullmatch(heading):
                groups = {name: self._group(name, text or "") for name, text in found.groupdict().items()}
                return _capital(form.asked.format(**groups)) if self._names_something(heading) else None
        return None

    def _group(self, name: str, words: str) -> str:
        """What is done opens with a verb, which has no capital of its own."""
        words = words[:1].lower() + words[1:] if name == _DEED else words
        return self._as_written(words, is_within=True)

    def _by_deed(self, heading: str) -> str | None:
        """“Installing the bridge” asks how one installs it."""
        first, _, rest = heading.partition(" ")
        word = first.lower()
        doing = self._cues.doing.get(word) or (word if word in self._cues.commands else None)
        if doing is None or not rest or self._cues.no_deeds.search(rest) or not self._names_something(rest):
            return None
        written = self._as_written(rest, is_within=True)
        if not self._is_object(written):
            return None
        deeds = self._cues.more_deeds.sub(self._second_deed, written)
        return self._cues.asked_doing.format(doing=f"{doing} {deeds}") if "\0" not in deeds else None

    def _is_object(self, words: str) -> bool:
        """“time” in “Reading time” is none, as it has no article."""
        if self._cues.objects.fullmatch(words):
            return True
        small = (at for at, word in enumerate(words.split()) if word in self._language.stop_words)
        name = " ".join(words.split()[: next(small, None)])
        return any(form.fullmatch(name) is not None for form in (self._cues.plural, self._cues.uncountable))

    def _second_deed(self, found: re.Match[str]) -> str:
        doing = self._cues.doing.get(found["deed"].lower(), "\0")
        return found[0].replace(found["deed"], doing)

    def _by_definition(self, heading: str, opening: str) -> str | None:
        """Where the section opens by saying what its heading names."""
        defining = self._language.guiding.definitions.match(opening)
        if defining is None or self._language.terms(defining["term"]) != self._language.terms(heading):
            return None
        return self._what_is(self._as_written(defining["term"], is_within=True), is_many=bool(defining["many"]))

    def _by_name(self, heading: str, opening: str) -> str | None:
        """What the heading names, with the article that the book gives it; none where the text does not name it."""
        article, name = self._parted(heading)
        words = name.lower().split()
        is_name = _NAME.fullmatch(name) and len(words) <= _MOST_WORDS_OF_NAME
        is_name = is_name and self._cues.no_openings.match(name) is None
        if not is_name or any(word in self._cues.no_names for word in words) or not self._names_something(name):
            return None
        written = self._as_written(name, is_within=not article)
        if len(words) == 1 and written[1:].islower() and not self._cues.found(self._cues.told, name, opening):
            return None  # one common word is a subject only where its section says what that is
        is_of = self._cues.of_something.fullmatch(name) is not None
        if self._is_many(name):
            return self._what_is(f"{article if is_of else ''}{written}", is_many=True)
        named = "" if _is_proper(written) else self._article(name, article)
        return None if named is None else self._what_is(f"{named}{written}", is_many=False)

    def _parted(self, heading: str) -> tuple[str, str]:
        """The article that a heading opens with, and the rest."""
        found = self._cues.articles.match(heading)
        return (found[0].lower(), heading[found.end() :]) if found else ("", heading)

    def _article(self, name: str, given: str) -> str | None:
        """That with which the book names it, or else the heading; None where neither tells."""
        cues = self._cues
        if found := cues.found(cues.article, name, self._text):
            return f"{found['article'].lower()} "
        if given:
            return given
        if cues.found(cues.bare, name, self._text):
            return ""
        if cues.of_something.fullmatch(name):
            return cues.definite_article
        return "" if cues.uncountable.fullmatch(name) else None

    def _is_many(self, name: str) -> bool:
        cues = self._cues
        return cues.plural.fullmatch(name) is not None and not cues.found(cues.article, name, self._text)

    def _what_is(self, term: str, *, is_many: bool) -> str:
        words = self._language.guiding.words
        return (words.what_are if is_many else words.what_is).format(term=term)

    def _names_something(self, heading: str) -> bool:
        """Whether it has a word that is a subject by itself."""
        words = [word for word in self._language.words(heading) if word not in self._language.stop_words]
        return any(word not in self._cues.vague and not word.isdecimal() for word in words)

    def _is_fit(self, question: str) -> bool:
        leans = self._cues.leaning.search(question) is not None
        is_long = len(question) > _LONGEST or len(question.split()) > _MOST_WORDS
        return not leans and not is_long and recognise(question, self._language) is None

    def _as_written(self, words: str, *, is_within: bool = False) -> str:
        """As the book writes it within a sentence, where headings have capitals of their own."""
        if " " in words and self._is_name_as_it_is(words):
            return words
        found = list(_WORD.finditer(words))
        later = [word[0] for word in found[1:] if word[0].lower() not in self._language.stop_words]
        has_own = 2 * sum(word[0].isupper() for word in later) >= max(1, len(later))
        for at, word in enumerate(found):
            is_of_heading = has_own or (at == 0 and is_within)
            if is_of_heading and _CAPITALISED.fullmatch(word[0]) and self._is_written_small(word[0]):
                words = words[: word.start()] + word[0].lower() + words[word.end() :]
        return words

    def _is_name_as_it_is(self, words: str) -> bool:
        """Whether the book writes all of it so more often than in small letters; once may name the section itself."""
        if not self._language.stop_words.isdisjoint(words.lower().split()):
            return False
        same = len(re.findall(rf"{_WITHIN_SENTENCE}{re.escape(words)}\b", self._text))
        return same > 1 and same > len(re.findall(rf"\b{re.escape(words.lower())}\b", self._text))

    def _is_written_small(self, word: str) -> bool:
        """A name has its capital also within sentences, and is never without."""
        if word.lower() in self._language.stop_words:
            return True
        lower = word.lower()
        small = len(re.findall(rf"{_WITHIN_SENTENCE}{re.escape(lower)}\b(?![\w/.-]*[\w/-])", self._text))
        capital = len(re.findall(rf"{_WITHIN_SENTENCE}{re.escape(word)}\b", self._text))
        is_known = any(entry.word == lower for entry in self._language.known_words.beginning_with(lower))
        return small > capital or capital == 0 or (is_known and not self._is_name(word))

    def _is_name(self, word: str) -> bool:
        """Whether it has its capital also where no other word beside it has one."""
        with_beside = rf"(?P<before>\b[A-Z][\w-]* )?{_WITHIN_SENTENCE}{re.escape(word)}\b(?P<behind> [A-Z])?"
        found = re.finditer(with_beside, self._text)
        return any(not one["before"] and not one["behind"] for one in found)


def _is_proper(name: str) -> bool:
    """A name of one thing, such as “Gatsby” or “isServer”."""
    return " " not in name and not name.islower()


def _capital(question: str) -> str:
    return question[:1].upper() + question[1:]
