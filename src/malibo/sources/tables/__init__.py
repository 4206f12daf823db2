"""Past runs from a table: files → frames → cells → guess → codes → tasks."""

from malibo.sources.tables.reading import Reading, TableOptions, frame_codes, read, read_table

__all__ = ["Reading", "TableOptions", "frame_codes", "read", "read_table"]
