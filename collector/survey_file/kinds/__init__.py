"""The kinds of questions in survey files.

Each kind reads ``[[questions]]`` tables, and writes tables for compiled questions.
"""
