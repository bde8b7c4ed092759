"""Channels by kind, as tests write them: a truth probability, or odds."""

from __future__ import annotations

from fractions import Fraction

from collector.channel.channel import Channel, channel, uniform_odds


def complement(truth: Fraction) -> Channel:
    """The truth, or every code complemented."""
    return channel("complement", truth)


def uniform(truth: Fraction) -> Channel:
    """The truth, or a draw for every question."""
    return channel("uniform", truth)


__all__ = ["complement", "uniform", "uniform_odds"]
