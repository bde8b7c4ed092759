"""The simulation of respondents."""
