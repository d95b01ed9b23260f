"""What plays without people: bots, the hands and handsets of one seat, a hall's tables, and the event that is played at them."""
