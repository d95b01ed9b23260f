"""A certificate of the table's own for its broker: made once, by the `openssl` program, and kept.

Nobody signs it but itself. Who connects is told the certificate by somebody he believes (a paired handset by the referee's sealed
letter, whose key the join link proves), and takes no other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from referee.net.broker.mosquitto import Tls
from referee.net.errors import BrokerStartError

_DAYS = 7300


def load_or_create(folder: Path, name: str) -> Tls:
    """Give the certificate in a folder; the first call makes it (P-256, 20 years). Raises `BrokerStartError`."""
    tls = Tls(folder / "certificate.pem", folder / "certificate.key")
    if tls.certificate.exists() and tls.key.exists():
        return tls
    program = shutil.which("openssl")
    if program is None:
        raise BrokerStartError(
            "openssl, which makes the broker's certificate, is not installed: sudo apt install openssl"
        )
    drafts = [path.with_name(path.name + ".new") for path in (tls.key, tls.certificate)]
    command = f"{program} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days {_DAYS}".split()
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", str(drafts[0]), "-out", str(drafts[1])]
    done = subprocess.run(  # noqa: S603  # every part is ours; the name was checked
        [*command, *subject, *files], capture_output=True, text=True, check=False, umask=0o077
    )
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        raise BrokerStartError(f"openssl made no certificate: {reason[-1] if reason else 'it said nothing'}")
    for draft, path in zip(drafts, (tls.key, tls.certificate), strict=True):
        os.replace(draft, path)
    return tls
