"""A broker that shows a certificate of its own: who was told it comes in, and takes no other."""

from __future__ import annotations

import gc
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from referee.net.broker.access import SeatPairing
from referee.net.broker.broker import Broker
from referee.net.credential import Credential, KeyPair
from referee.net.errors import BrokerStartError, BrokerUnreachableError, CredentialError
from referee.net.links.handset_link import HandsetLink
from referee.net.links.public_links import KioskLink
from referee.net.topics.topics import Role
from referee.rules.values import Seat
from tests.net.hall import BOARD, Inbox

pytestmark = pytest.mark.process


def _fingerprint(path: Path) -> str:
    """Return a certificate's fingerprint by openssl: SHA-256 in lower-case hex without colons."""
    program = shutil.which("openssl")
    assert program is not None
    command = [program, "x509", "-noout", "-fingerprint", "-sha256", "-in", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # all of it is ours
    return said.strip().partition("=")[2].replace(":", "").lower()


def handset_of(broker: Broker) -> Credential:
    """Return a paired handset's credential."""
    keys = KeyPair.create()
    grant = SeatPairing(broker.address, BOARD, KeyPair.create().public).grant(Seat.RED, keys.public)
    broker.admit(grant)
    return grant.credential.with_keys(keys)


@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <ssl.SSLSocket"
)  # paho leaves it to the collector when it refuses
def test_a_certificate_is_made_once_and_is_the_only_one_taken(tmp_path: Path) -> None:
    """The same after a restart, private, and another one, none at all, or a plain connection get nobody in."""
    broker = Broker.start(tmp_path / "one", BOARD, tls=True)
    other = Broker.start(tmp_path / "two", BOARD, tls=True)
    shown = (tmp_path / "one" / "certificate.pem").read_text()
    assert (tmp_path / "one" / "certificate.key").stat().st_mode & 0o777 == 0o600
    credential = handset_of(broker)
    assert credential.address.certificate == shown
    assert credential.address.certificate_fingerprint == _fingerprint(tmp_path / "one" / "certificate.pem")
    assert other.address.certificate_fingerprint != credential.address.certificate_fingerprint
    assert shown not in repr(credential)
    right = HandsetLink(credential, on_value=Inbox())
    right.start()
    right.stop()
    wrong = replace(credential, address=replace(credential.address, certificate=other.address.certificate))
    with pytest.raises(BrokerUnreachableError, match="certificate"):
        HandsetLink(wrong, on_value=Inbox()).start()
    gc.collect()
    plain = replace(credential, address=replace(credential.address, certificate=None))
    with pytest.raises(BrokerUnreachableError):
        HandsetLink(plain, on_value=Inbox()).start(patience_s=0.5)
    for text in ("", "nonsense"):
        broken = replace(credential, address=replace(credential.address, certificate=text))
        with pytest.raises(CredentialError, match="certificate"):
            HandsetLink(broken, on_value=Inbox()).start()
    other.stop()
    broker.stop()
    again = Broker.start(tmp_path / "one", BOARD, tls=True)
    assert again.address.certificate == shown
    kiosk = KioskLink(
        again.credential(Role.KIOSK), on_value=Inbox()
    )  # on this machine, by the listener that needs none
    kiosk.start()
    kiosk.stop()
    again.stop()


def test_without_openssl_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that makes the certificate is missing, or fails: said, and nothing was started."""
    real = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **more: None if name == "openssl" else real(name, **more))
    with pytest.raises(BrokerStartError, match="apt install openssl"):
        Broker.start(tmp_path, BOARD, tls=True)
    monkeypatch.setattr(shutil, "which", lambda name, **more: "/bin/false" if name == "openssl" else real(name, **more))
    with pytest.raises(BrokerStartError, match="made no certificate"):
        Broker.start(tmp_path, BOARD, tls=True)
