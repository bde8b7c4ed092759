"""The kinds of questions in survey files. Each reads its tables, and writes the table of compiled questions."""
