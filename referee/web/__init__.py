"""What the referee serves over HTTP on the local network: `POST /pair`, and a word of greeting for who comes with a browser."""
