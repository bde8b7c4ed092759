"""Import of survey files from spreadsheets (XLSForm)."""
