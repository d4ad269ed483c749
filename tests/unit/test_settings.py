"""Settings: where they come from, and what is said about wrong ones."""

from pathlib import Path

import pytest

from citebook.domain.errors import InvalidSettings
from citebook.settings import Settings, read_settings

SECRET = "canary-key-31337"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (*Settings.model_fields, "citebook_config"):
        monkeypatch.delenv(name.upper(), raising=False)


def toml(text: str) -> Path:
    path = Path("citebook.toml")
    path.write_text(text)
    return path


def test_everything_has_a_default() -> None:
    settings = read_settings()
    assert settings.qdrant_url is None
    assert settings.qdrant_collection == "physical-ai-textbook-v1"
    assert (settings.dense_weight, settings.chunk_tokens, settings.search_top_k) == (None, 512, None)
    assert (settings.refuse_below, settings.warn_below, settings.deadline_seconds) == (None, None, 5.0)


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("QDRANT_URL", "http://qdrant:6333", "http://qdrant:6333"),
        ("QDRANT_COLLECTION", "my-book", "my-book"),
        ("SEARCH_TOP_K", "7", 7),
        ("CITEBOOK_DATA_DIR", "/srv/book", Path("/srv/book")),
    ],
)
def test_the_environment_is_read_by_the_names_of_the_seeds(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: object
) -> None:
    monkeypatch.setenv(variable, value)
    assert getattr(read_settings(), variable.lower()) == expected


def test_the_api_key_of_the_seeds_is_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", SECRET)
    settings = read_settings()
    assert settings.qdrant_api_key is not None
    assert settings.qdrant_api_key.get_secret_value() == SECRET
    assert SECRET not in repr(settings) + str(settings) + settings.model_dump_json()


def test_the_file_in_the_working_folder_is_read() -> None:
    toml("search_top_k = 9")
    assert read_settings().search_top_k == 9


def test_another_file_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    toml("search_top_k = 9")
    Path("other.toml").write_text("search_top_k = 11")
    monkeypatch.setenv("CITEBOOK_CONFIG", "other.toml")
    assert read_settings().search_top_k == 11


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    toml("search_top_k = 9")
    monkeypatch.setenv("SEARCH_TOP_K", "3")
    assert read_settings().search_top_k == 3


def test_the_command_line_wins_over_both(monkeypatch: pytest.MonkeyPatch) -> None:
    toml('citebook_data_dir = "from-file"')
    monkeypatch.setenv("CITEBOOK_DATA_DIR", "from-environment")
    assert read_settings(citebook_data_dir=Path("from-option")).citebook_data_dir == Path("from-option")


def test_an_option_that_was_not_given_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEBOOK_DATA_DIR", "from-environment")
    assert read_settings(citebook_data_dir=None).citebook_data_dir == Path("from-environment")


def test_variables_of_other_programs_are_no_concern(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SERACH_TOP_K", "9")
    monkeypatch.setenv("CITEBOOK_CONFIG", str(toml("")))
    read_settings()
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serach_top_k = 9", "serach_top_k is no setting; did you mean search_top_k?"),
        ("SEARCH_TOP_K = 9", "SEARCH_TOP_K is no setting; did you mean search_top_k?"),
        ("[policy.core]\nrefuse_below = 0.3", "policy is no setting; did you mean policies?"),
        ("xyzzy = 1", "xyzzy is no setting"),
    ],
)
def test_a_name_in_the_file_that_is_no_setting_is_refused_with_the_nearest(text: str, message: str) -> None:
    toml(text)
    with pytest.raises(InvalidSettings) as error:
        read_settings()
    assert str(error.value) == f"citebook.toml has names that cannot be used:\n  {message}"


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("CITEBOOK_DATADIR", "CITEBOOK_DATADIR is no setting; did you mean CITEBOOK_DATA_DIR?"),
        ("CITEBOOK_SEARCH_TOP_K", "CITEBOOK_SEARCH_TOP_K is no setting; did you mean SEARCH_TOP_K?"),
    ],
)
def test_an_unknown_variable_that_is_meant_for_us_is_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, variable: str, message: str
) -> None:
    monkeypatch.setenv(variable, SECRET)
    read_settings()
    assert caplog.messages == [message]


@pytest.mark.parametrize(
    ("books", "message"),
    [
        ({"default": "other"}, "BOOKS: .*must not name a book default"),
        ({"draft": "physical-ai-textbook-v1"}, "BOOKS: .*that no other has.*: physical-ai-textbook-v1"),
        ({"one": "same", "other": "same"}, "BOOKS: .*that no other has.*: same"),
        ({"one": "biology--editions"}, "BOOKS: .*must not end in --editions"),
    ],
)
def test_books_that_would_be_mixed_are_refused(books: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        read_settings(books=books)


def test_several_books_have_a_collection_each() -> None:
    assert read_settings(books={"biology": "biology", "draft": "biology--draft"}).books["draft"] == "biology--draft"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SEARCH_TOP_K", "0"),
        ("SEARCH_TOP_K", "many"),
        ("DENSE_WEIGHT", "1.5"),
        ("CHUNK_TOKENS", "10"),
        ("DEADLINE_SECONDS", "0"),
        ("QDRANT_COLLECTION", "../../etc"),
        ("QDRANT_COLLECTION", ""),
        ("REFUSE_BELOW", "nan"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidSettings, match=variable):
        read_settings()


def test_every_wrong_value_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOP_K", "0")
    monkeypatch.setenv("DENSE_WEIGHT", "2")
    with pytest.raises(InvalidSettings, match=r"(?s)SEARCH_TOP_K.*DENSE_WEIGHT"):
        read_settings()


def test_a_warning_below_the_refusal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUSE_BELOW", "0.5")
    monkeypatch.setenv("WARN_BELOW", "0.4")
    with pytest.raises(InvalidSettings, match=r"WARN_BELOW: .*must not be lower than refuse_below"):
        read_settings()


def test_a_named_file_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEBOOK_CONFIG", "nowhere.toml")
    with pytest.raises(InvalidSettings, match=r"nowhere\.toml"):
        read_settings()


def test_a_file_that_is_no_toml_is_refused() -> None:
    toml("search_top_k: 9")
    with pytest.raises(InvalidSettings, match="TOML"):
        read_settings()


@pytest.mark.parametrize(
    "text",
    [
        f'qdrant_api_key = ["{SECRET}"]',
        f'qdrant_api_key = "{SECRET}"\nsearch_top_k = 0',
        f'qdrant_api_key = "{SECRET}',
        f"qdrant_api_key = {SECRET}",
        f'search_top_k = "{SECRET}"',
    ],
)
def test_no_error_shows_a_value(text: str) -> None:
    toml(text)
    with pytest.raises(InvalidSettings) as error:
        read_settings()
    assert SECRET not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize("url", ["localhost:6333", "http://a:6333,", "http://a:6333,b:6333", "ftp://a", ""])
def test_nodes_of_a_cluster_are_urls(url: str) -> None:
    with pytest.raises(InvalidSettings, match="QDRANT_URL"):
        read_settings(qdrant_url=url)


def test_several_nodes_are_separated_by_commas() -> None:
    assert read_settings(qdrant_url="http://a:6333, https://b/qdrant").qdrant_url == "http://a:6333, https://b/qdrant"
