"""What hands and players do in turn: setting up, moving, attacking, and putting the board right."""
