"""Code shared by the imports of SurveyJS and XLSForm."""
