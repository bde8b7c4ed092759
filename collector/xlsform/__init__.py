"""Import of XLSForm spreadsheets as survey files."""
