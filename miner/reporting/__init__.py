"""Write a report: one HTML file with all results of a survey."""
