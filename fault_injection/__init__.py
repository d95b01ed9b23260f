"""Faults done to a running table: disks, links, boards, and a referee that is killed; for tests and benches."""
