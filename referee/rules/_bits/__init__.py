"""The private inside of the rules: bare integers and flat lists, for speed. Everything outside this package sees real types.

`tables` is computed once for a board and once for a rule set, `position` is one game, `armies` narrows what is possible.
A square, a piece, a rank and a side are each an index here; a set of ranks or of borders is an integer of bits.
"""
