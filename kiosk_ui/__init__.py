"""The kiosk that both players look at: a public view in, pixels out.

`referee.presentation` turns `PublicInfo` and `PublicView` into one plain value, `screen` adds what lies over and beside the table,
`layout`, `styles` and `board_picture` turn that into boxes and marks, and only then comes Kivy: `widgets` and `panels` draw what they are
given. Importing this package imports no Kivy; neither do the modules before `widgets`.

Does not do: rules, seats' letters, ranks that were not shown (no type here has a place for one), choosing what to say by what
an event sounded like. It knows the referee by `pub/#` alone.
"""
