"""Past runs from a table: files → frames → cells → guess → codes → tasks."""

from malibo.sources.tables.candidates import frame_codes
from malibo.sources.tables.reading import Reading, TableOptions, read

__all__ = ["Reading", "TableOptions", "frame_codes", "read"]
