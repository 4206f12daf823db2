"""malibo inside other tuning libraries."""
