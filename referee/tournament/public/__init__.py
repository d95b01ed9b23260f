"""What everybody may see of an event: plain files that any web server gives out, and what is printed for the hall."""
