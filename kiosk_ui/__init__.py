"""The kiosk that both players look at: a public view in, pixels out."""
