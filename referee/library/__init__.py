"""Games that are kept: a list of them, each as a page to see again and to take along (docs/reference/library.md)."""
