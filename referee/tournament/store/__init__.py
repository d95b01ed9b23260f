"""Where events are kept: SQLite, or PostgreSQL by URL, through SQLAlchemy. One transaction an act, refused when it is stale."""
