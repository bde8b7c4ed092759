"""The scheduled job: it trains when enough responses are new, and promotes models that are not worse.

Begin with `job`.
"""
