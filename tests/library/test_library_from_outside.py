"""The library attacked from outside: hidden ranks, games that are not over, and paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.library.shelf import Now
from tests.library.outsider import (
    BLUE_ONE,
    BLUE_TWO,
    NAME,
    OTHER,
    RED_ONE,
    RED_TWO,
    SEEDS,
    Browser,
    all_of,
    body_of,
    differing,
    error_of,
    exported,
    listed,
    on,
    opened,
    put,
    record_text,
    served,
    telling,
    unconfirmed,
)

REASON = "KANARIENGRUND"

# Of each: what stands in the record, who consented, whose hidden ranks are exchanged. None of them is anybody's to see.
HIDDEN = [
    pytest.param("referee", (), ("red", "blue"), None, id="the referee's view in the folder, nobody consented"),
    pytest.param("referee", ("red",), ("blue",), None, id="the referee's view, red consented"),
    pytest.param("referee", ("blue",), ("red",), None, id="the referee's view, blue consented"),
    pytest.param("red", (), ("red",), None, id="red's view, nobody consented"),
    pytest.param("red", ("blue",), ("red",), None, id="red's view, blue consented"),
    pytest.param("blue", (), ("blue",), None, id="blue's view, nobody consented"),
    pytest.param("red", (), ("blue",), None, id="red's view, with what red heard of a survivor"),
    pytest.param("red", ("red",), ("blue",), None, id="red's view, red consented, with what red heard of a survivor"),
    pytest.param("referee", ("green",), ("red", "blue"), None, id="a seat consented that does not play"),
    pytest.param("public", (), ("red", "blue"), ("red", "blue"), id="called public, and holds everything"),
    pytest.param(
        "public", ("red",), ("blue",), ("red", "blue"), id="called public, red consented, and holds everything"
    ),
    pytest.param("archive", (), ("red", "blue"), ("red", "blue"), id="called the archive's, and holds everything"),
    pytest.param(
        "archive", ("red",), ("blue",), ("red", "blue"), id="called the archive's, red consented, and holds everything"
    ),
]


def two_states(tmp_path: Path, seats: Sequence[str], **told: Any) -> tuple[Path, Path]:
    """Return two places that differ in hidden ranks of these seats alone."""
    states = tmp_path / "one", tmp_path / "two"
    for state, red, blue in zip(states, (RED_ONE, RED_TWO), (BLUE_ONE, BLUE_TWO), strict=True):
        own: dict[str, Any] = {"red": red if "red" in seats else RED_ONE, "blue": blue if "blue" in seats else BLUE_ONE}
        put(state, NAME, record_text(**own, **told))
    return states


class TestHiddenRanks:
    """Two games that differ in what nobody may see alone are the same in every byte that anybody is given."""

    @pytest.mark.parametrize(("view", "consent", "seats", "whole"), HIDDEN)
    def test_change_no_byte(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        view: str,
        consent: Sequence[str],
        seats: Sequence[str],
        whole: Sequence[str] | None,
    ) -> None:
        one, two = two_states(tmp_path, seats, view=view, consent=consent, whole=whole)
        assert not differing(served(one), served(two))
        assert not differing([listed(capsys, one)], [listed(capsys, two)])

    @pytest.mark.parametrize("view", ["referee", "red", "archive"])
    def test_change_no_byte_before_the_result_is_confirmed(self, tmp_path: Path, view: str) -> None:
        one, two = two_states(tmp_path, ["red"], view=view, consent=["red"])
        assert not differing(served(one, unconfirmed), served(two, unconfirmed))
        assert not any(entry["shown"] for entry in Browser(one, unconfirmed).listing()["games"])

    @pytest.mark.parametrize("view", ["referee", "archive"])
    def test_change_no_byte_where_a_table_takes_a_confirmed_game_up_again(self, tmp_path: Path, view: str) -> None:
        one, two = two_states(tmp_path, ["red"], view=view, consent=["red"])
        assert differing(served(one), served(two))
        assert not differing(served(one, unconfirmed), served(two, unconfirmed))

    def test_are_shown_where_their_owners_agreed(self, tmp_path: Path) -> None:
        one, two = two_states(tmp_path, ["red"], view="archive", consent=["red"])
        assert all(a != b for a, b in zip(served(one)[1:4], served(two)[1:4], strict=True))
        assert Browser(one).listing()["games"][0]["shown"] == ["red"]
        one, two = two_states(tmp_path / "both", ["red"], view="archive", consent=["red", "blue"])
        assert differing(served(one, unconfirmed), served(two, unconfirmed))
        assert sorted(Browser(one, unconfirmed).listing()["games"][0]["shown"]) == ["blue", "red"]

    @pytest.mark.parametrize(("view", "command"), [("referee", "list"), ("referee", "jsonl"), ("red", "list")])
    def test_decide_nothing_where_a_hidden_bomb_moved(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str, command: str
    ) -> None:
        plies = ("red b1-b2", "blue i7-i6", "red b2-b3", "blue i6-i5")
        one, two = two_states(tmp_path, ["red"], view=view, plies=plies)
        if command == "list":
            assert not differing(served(one), served(two))
            assert not differing([listed(capsys, one)], [listed(capsys, two)])
        else:
            said = [exported(capsys, state / "games" / NAME / "game.record") for state in (one, two)]
            assert not differing(said[:1], said[1:])
            assert "public knowledge" in said[0]

    def test_seeds_and_reasons_are_nowhere(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        lines = [f"{key} = {value}" for key, value in SEEDS.items()]
        text = record_text("referee", lines=["mode = enrol", *lines], corrections=[f"3 penalty red = {REASON}"])
        folder = put(tmp_path, NAME, text)
        said = [*served(tmp_path), listed(capsys, tmp_path)]
        said += [path.read_text() for path in tmp_path.rglob("*") if path.is_file() and path != folder / "game.record"]
        assert Browser(tmp_path).names() == [NAME]
        assert not telling(said, *SEEDS.values(), REASON)

    @pytest.mark.parametrize(
        ("right", "wrong"),
        [
            ("c1 marshal", "c1 marshalKANARI"),
            ("c1 marshal", "c1 marshal KANARI"),
            ("c1 marshal", "c1 KANARI = marshal"),
            ("c1 marshal", "marshalKANARI"),
            ("c1 marshal", "a1 marshalKANARI"),
            ("scout miner defender-wins", "scout minerKANARI defender-wins"),
            ("scout miner defender-wins", "miner scout KANARI"),
            ("winner = blue", "seed.red = KANARI"),
        ],
    )
    def test_are_in_no_error_of_a_damaged_record(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str
    ) -> None:
        text = record_text("referee")
        assert right in text
        put(tmp_path, NAME, text.replace(right, wrong))
        put(tmp_path, OTHER, record_text())
        said = served(tmp_path)
        assert OTHER in said[0]
        told = listed(capsys, tmp_path)
        assert NAME in told, "no line says of the damaged record that it is"
        assert not telling([*said, told], "KANARI", "c1 marshal", "marshalK", "minerK")
        assert not telling([told.replace("hallmarshal", "")], "marshal", "miner")


class TestGamesThatAreNotOver:
    """A game that is on is in no list, and its page is not there."""

    def gone(self, state: Path, now: Callable[[], Now] = Now, name: str = NAME) -> None:
        """Check that nothing is served of a game."""
        browser = Browser(state, now)
        for _ in range(2):
            assert name not in browser.names()
            for tail in ("/game.html", "/game.record"):
                answer = browser.ask(f"/games/{name}{tail}")
                assert (answer.status, error_of(answer)) == (404, "not-found")
            assert browser.ask(f"/games/{name}").status in (303, 404)

    @pytest.mark.parametrize("view", ["referee", "archive", "public"])
    def test_a_record_without_a_result(self, tmp_path: Path, view: str) -> None:
        put(tmp_path, NAME, record_text(view, ["red", "blue"], result=None))
        self.gone(tmp_path)

    def test_the_one_that_is_on_though_its_record_has_a_result(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(consent=["red", "blue"]))
        served(tmp_path)
        self.gone(tmp_path, on)

    def test_one_whose_end_was_taken_back_though_a_replay_was_kept(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(consent=["red", "blue"]))
        served(tmp_path)
        put(tmp_path, NAME, record_text(consent=["red", "blue"], result=None))
        os.utime(tmp_path / "games" / NAME / "game.record")
        self.gone(tmp_path)

    def test_one_that_was_removed_though_the_index_has_it(self, tmp_path: Path) -> None:
        folder = put(tmp_path, NAME, record_text())
        served(tmp_path)
        (folder / "game.record").unlink()
        self.gone(tmp_path)

    def test_a_journal_alone_is_never_opened(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "games" / NAME
        folder.mkdir(parents=True)
        secret = ("journal.db", "journal.sqlite", "journal.key", "journal.owners", "frames-1.log")
        for file in secret:
            (folder / file).write_text(record_text("referee"))
        put(tmp_path, OTHER, record_text())
        (tmp_path / "referee.key").write_text("k" * 43)
        with opened(monkeypatch) as paths:
            self.gone(tmp_path)
            served(tmp_path, name=OTHER)
        assert any(Path(path).name == "game.record" for path in paths), "the watch sees nothing"
        assert not {Path(path).name for path in paths} & {*secret, "referee.key"}


PATHS = [
    "..",
    "../referee.key",
    "../../referee.key",
    "../../../../../../../../etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "%2e%2e/referee.key",
    "%2e%2e%2freferee.key",
    "..%2freferee.key",
    "..%5creferee.key",
    "..\\referee.key",
    "%252e%252e%252freferee.key",
    "\uff0e\uff0e/referee.key",
    "%c0%ae%c0%ae/referee.key",
    "%ef%bc%8e%ef%bc%8e%2freferee.key",
    "..;/referee.key",
    "...",
    ".",
    "",
    "/",
    "%00",
    "\0",
    f"{NAME}\0",
    f"{NAME}%00",
    f"{NAME}\n",
    f"{NAME}%0d%0aSet-Cookie:%20a=b",
    f"{NAME}/",
    f"{NAME}//game.record",
    f"{NAME}/.",
    f"{NAME}/./game.record",
    f"{NAME}/..",
    f"{NAME}/../{OTHER}/game.record",
    f"../games/{NAME}/game.record",
    f"./{NAME}/game.record",
    f"{OTHER}/../../games/{NAME}",
    f"{NAME}/game.record/",
    f"{NAME}/game.record/..",
    f"{NAME}/game.record%00.html",
    f"{NAME}/GAME.RECORD",
    f"{NAME}/game.html/game.record",
    f"{NAME}/replay.html",
    f"{NAME}/journal.key",
    f"{NAME}/journal.owners",
    f"{NAME}/journal.db",
    f"{NAME}/../../library.jsonl",
    f"{NAME}/../../referee.key",
    f"{NAME}/%2e%2e/%2e%2e/referee.key",
    f"{NAME}/..%2f..%2freferee.key",
    f"{NAME}%2fjournal.key",
    NAME.upper(),
    NAME[:-1],
    f"{NAME}x",
    f" {NAME}",
    f"{NAME} ",
    f"{NAME}.",
    "library.jsonl",
    "replay.html",
    "game.record",
    "outside",
    "plain",
    "*",
    "?",
    "[0-9]*",
    "~root",
    "$HOME",
    "None",
    "-h",
    "a" * 20_000,
    "/".join(["a"] * 9_000),
    "../" * 6_000,
    "é",
    "\udcff",
    "\U0001f600",
    "%",
    "%zz",
    "%ff%fe",
]


class TestPaths:
    """A name is compared with those in the list and never made into a path."""

    CANARY = "KANARIENVOGEL"

    def place(self, tmp_path: Path) -> Path:
        """Return a state with a game, another one, and secrets around them."""
        state = tmp_path / "state"
        folder = put(state, NAME, record_text())
        put(state, OTHER, record_text(game="ffffffffffffffff"))
        for secret in ("journal.key", "journal.owners", "journal.db"):
            (folder / secret).write_text(self.CANARY)
        (state / "referee.key").write_text(self.CANARY)
        (state / "games" / "plain").write_text(self.CANARY)
        (tmp_path / "game.record").write_text(self.CANARY)
        put(tmp_path / "elsewhere", "outside", record_text(names=(self.CANARY, "Bram")))
        return state

    @pytest.mark.parametrize("tail", ["", "/game.html", "/game.record"])
    def test_lead_nowhere_else(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tail: str) -> None:
        state = self.place(tmp_path)
        browser = Browser(state)
        assert sorted(browser.names()) == [NAME, OTHER]
        tails = ("", "/game.html", "/game.record")
        right = {body_of(browser.ask(f"/games/{name}{each}")) for name in (NAME, OTHER) for each in tails}
        right.add(body_of(browser.ask("/games")))
        with opened(monkeypatch) as paths:
            for path in PATHS:
                for asked in (f"/games/{path}{tail}", f"/games/{path}{tail}?a=b"):
                    answer = browser.ask(asked)
                    assert not telling([all_of(answer)], self.CANARY), asked[:80]
                    assert answer.status < 500, asked[:80]
                    if answer.status == 200:
                        assert (body_of(answer) in right) is True, asked[:80]
        secrets = {"journal.key", "journal.owners", "journal.db", "referee.key", "plain", "passwd"}
        assert not [path for path in paths if Path(path).name in secrets or Path(path) == tmp_path / "game.record"]
        assert sorted(path.name for path in (state / "games").iterdir()) == [NAME, OTHER, "plain"]

    def test_only_the_game_itself_answers_to_its_name(self, tmp_path: Path) -> None:
        browser = Browser(self.place(tmp_path))
        record = body_of(browser.ask(f"/games/{NAME}/game.record"))
        assert record != body_of(browser.ask(f"/games/{OTHER}/game.record"))
        assert body_of(browser.ask("/games/a1b2c3d4e5f60718/game.record")) == record

    def test_links_to_folders_outside_show_nothing_hidden_and_write_nothing_there(self, tmp_path: Path) -> None:
        state = self.place(tmp_path)
        target = put(tmp_path / "elsewhere", "secret", record_text("referee"))
        (state / "games" / "2026-11-22-201500-c1b2c3").symlink_to(target)
        (state / "games" / "2026-11-23-201500-c1b2c3").symlink_to(tmp_path, target_is_directory=True)
        (state / "games" / "2026-11-24-201500-c1b2c3").symlink_to(state / "games")
        (state / "games" / "2026-11-25-201500-c1b2c3").symlink_to("2026-11-25-201500-c1b2c3")
        before = sorted(tmp_path.glob("elsewhere/**/*"))
        said = served(state) + served(state, name="2026-11-22-201500-c1b2c3")
        assert {NAME, OTHER} <= set(Browser(state).names())
        assert not telling(said, self.CANARY, "c1 marshal")
        assert sorted(tmp_path.glob("elsewhere/**/*")) == before

    @pytest.mark.parametrize("victim", ["replay.html", "library.jsonl"])
    @pytest.mark.parametrize("there", [True, False])
    def test_what_is_kept_is_not_written_through_a_link(self, tmp_path: Path, victim: str, there: bool) -> None:
        state, target = self.place(tmp_path), tmp_path / "precious"
        if there:
            target.write_text(self.CANARY)
        place = state if victim == "library.jsonl" else state / "games" / NAME
        (place / victim).symlink_to(target)
        said = served(state)
        assert not telling(said, self.CANARY)
        assert target.exists() == there
        assert not there or target.read_text() == self.CANARY

    @pytest.mark.parametrize("target", ["journal.key", "../../referee.key", "../../../game.record"])
    def test_a_record_that_is_a_link_to_a_secret_costs_its_own_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
    ) -> None:
        state = self.place(tmp_path)
        (state / "games" / NAME / "game.record").unlink()
        (state / "games" / NAME / "game.record").symlink_to(target)
        said = [*served(state), listed(capsys, state)]
        assert Browser(state).names() == [OTHER]
        assert not telling(said, self.CANARY)
