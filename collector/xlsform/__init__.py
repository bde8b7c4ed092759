"""The import of survey files from spreadsheets (XLSForm)."""
