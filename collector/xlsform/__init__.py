"""Survey files from spreadsheets (XLSForm)."""
