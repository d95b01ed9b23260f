"""What a maker's bench needs and no table does: schematics, pinouts, paper templates, printable parts, and circuit checks.

Nothing of it ships or is imported by the product; its tools are groups of their own (`make drawings`, `make print`, `make circuit`).
"""
