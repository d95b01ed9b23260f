"""The referee: rules, sensing, arbitration, journal, link, and the commands around them."""
