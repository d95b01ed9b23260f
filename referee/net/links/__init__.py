"""What referee, handset, kiosk, station and spectators hold in their hands at a broker."""
