"""Code shared by imports of SurveyJS and XLSForm: conditions, and the reading of a form question by question."""
