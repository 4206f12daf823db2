"""Past runs from where people keep them."""
