"""The kinds of questions in survey files. Each kind reads its tables, and writes tables for compiled questions."""
