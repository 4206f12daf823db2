"""Functions at random: the data sets on which a prior-fitted network is trained (torch).

A function is drawn from a Gaussian process with a squared exponential or a Matérn 5/2 kernel.
Each column has a length scale of its own, the logarithm of which is normal around log √D: in
a space of D columns two points differ by about √D, so functions of any D vary as much (as in
BoTorch's priors, Hvarfner et al., 2024, with a shorter and less broad scale). What is seen of
it is noisy; the deviation of the noise is between 0.003 and 0.14 of the function's own. What
is to be predicted is the function itself. If it was to be predicted with its noise, the best
configuration would always seem worth repeating, as the next draw may be better.

Columns are uniform, or grids of a few levels, or zeros with some ones as those of a choice
are. After the first rows half of them lie near one centre, as those of a search do in the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

MOST_COLUMNS = 40
LENGTH_SPREAD = 1.25  # standard deviation of the logarithm of a length scale
NOISES = (1e-5, 2e-2)  # lowest and highest variance; the function's own is 1
ROUGHNESS = 1e-4  # variance of what no length scale explains, noise or not
LEVELS = (2, 7)  # of a column that is not continuous, the second one excluded
SPREAD_OUT = 4  # of the first rows
_NEAREST = 0.01  # of the rows near a centre, in parts of their former distance
_FARTHEST_VALUE = 10.0  # in standard deviations of what was seen


@dataclass(frozen=True, eq=False)
class Functions:
    """What is known of b functions that were drawn at random.

    columns   (b,) how many columns count; the others are zero
    lengths   (b, MOST_COLUMNS) length scales; infinite where a column does not count
    noise     (b,) variance of what is added to the values that are seen
    smooth    (b,) whether the kernel is the squared exponential
    """

    columns: Tensor
    lengths: Tensor
    noise: Tensor
    smooth: Tensor

    def covariance(self, points: Tensor) -> Tensor:
        """(b, n, n) of the functions, without noise, at points (b, n, MOST_COLUMNS)."""
        scaled = points / self.lengths[:, None]
        square = torch.cdist(scaled, scaled, compute_mode="donot_use_mm_for_euclid_dist") ** 2
        root = (5 * square).sqrt()
        matern = (1 + root + 5 / 3 * square) * (-root).exp()
        found = torch.where(self.smooth[:, None, None], (-square / 2).exp(), matern)
        return found + ROUGHNESS * torch.eye(points.shape[1], dtype=points.dtype)


@dataclass(frozen=True, eq=False)
class DataSets:
    """b data sets: points in the unit cube and values, of which the first few are seen.

    points   (b, n, MOST_COLUMNS)
    values   (b, n) of mean 0 and standard deviation 1 over those that are seen; these are noisy,
             the others are the function's own
    shift    (b, 1) and scale (b, 1): the values were ``shift + scale·values``
    """

    functions: Functions
    points: Tensor
    values: Tensor
    shift: Tensor
    scale: Tensor


def draw(
    number: int, seen: int, rows: int, random: Generator, columns: int | None = None
) -> DataSets:
    """Data sets of so many rows, standardised by those of them that are seen.

    columns   of all of them; None: of each of them at random, as many small ones as large ones
    """
    functions = draw_functions(number, random, columns)
    points = draw_points(functions.columns, rows, random)
    factor = torch.linalg.cholesky(functions.covariance(points.double()))
    normal = torch.randn(2, number, rows, generator=random, dtype=torch.float64)
    values = (factor @ normal[0, :, :, None])[:, :, 0]
    values[:, :seen] += functions.noise.sqrt()[:, None] * normal[1, :, :seen]
    shift = values[:, :seen].mean(dim=1, keepdim=True)
    scale = values[:, :seen].std(dim=1, keepdim=True, correction=0).clamp_min(1e-6)
    standard = ((values - shift) / scale).clamp(-_FARTHEST_VALUE, _FARTHEST_VALUE)
    return DataSets(functions, points, standard.float(), shift, scale)


def draw_functions(number: int, random: Generator, columns: int | None = None) -> Functions:
    """Hyperparameters of so many functions."""
    logs = torch.rand(number, generator=random) * math.log(MOST_COLUMNS + 1)
    counts = logs.exp().long().clamp(1, MOST_COLUMNS)
    if columns is not None:
        counts = torch.full_like(counts, columns)
    normal = torch.randn(number, MOST_COLUMNS, generator=random)
    lengths = (LENGTH_SPREAD * normal).exp() * counts[:, None].sqrt()
    lengths[~_counting(counts)] = math.inf
    low, high = (math.log(noise) for noise in NOISES)
    noise = (low + (high - low) * torch.rand(number, generator=random)).exp()
    smooth = torch.rand(number, generator=random) < 0.5
    return Functions(counts, lengths, noise, smooth)


def draw_points(columns: Tensor, rows: int, random: Generator) -> Tensor:
    """Points (b, rows, MOST_COLUMNS) in the unit cube; columns that do not count are zero."""
    shape = (len(columns), rows, MOST_COLUMNS)
    points = _gathered(torch.rand(shape, generator=random), random)
    levels = torch.randint(*LEVELS, (len(columns), 1, MOST_COLUMNS), generator=random)
    grid = (points * levels).floor().minimum(levels - 1) / (levels - 1)
    choice = (points < 1 / levels).float()
    kind = torch.rand(len(columns), 1, MOST_COLUMNS, generator=random)
    continuous = torch.rand(len(columns), 1, 1, generator=random)  # share of the columns
    points = torch.where(
        kind < continuous, points, torch.where(kind * 2 < 1 + continuous, grid, choice)
    )
    return points * _counting(columns)[:, None]


def _gathered(points: Tensor, random: Generator) -> Tensor:
    """The same with half of the later rows drawn towards a centre, some very close to it."""
    number, rows, _ = points.shape
    centre = torch.rand(number, 1, points.shape[2], generator=random)
    distance = (torch.rand(number, rows, 1, generator=random) * math.log(_NEAREST)).exp()
    near = torch.rand(number, rows, 1, generator=random) < 0.5
    near[:, :SPREAD_OUT] = False
    return torch.where(near, centre + distance * (points - centre), points)


def _counting(columns: Tensor) -> Tensor:
    """(b, MOST_COLUMNS) whether a column counts."""
    return torch.arange(MOST_COLUMNS) < columns[:, None]
