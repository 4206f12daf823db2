"""Published curves on HPO-B: methods compared out of the results that others put online.

curves     files of curves, and own runs as such
families   which of them start from the same configurations
groups     what is compared with what
tables     regret and ranks of a group in figures
figures    the same in pictures
names      words for files, methods and search spaces
"""

from __future__ import annotations

from malibo.bench.published.figures import group_figures
from malibo.bench.published.groups import Group, read_groups
from malibo.bench.published.tables import group_tables, write_group_csv

__all__ = ["Group", "group_figures", "group_tables", "read_groups", "write_group_csv"]
