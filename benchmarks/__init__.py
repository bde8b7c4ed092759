"""Measurements, in rooms by what they measure. Each command is a module: `python -m benchmarks.ROOM.MODULE`.

Here stand the three that the project set out to make, `speed`, `du_zhan` and `szucs`; `figures`, which makes everything
in docs/results again; and what all rooms write with.
"""
