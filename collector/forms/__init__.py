"""Code shared by forms of other programs, SurveyJS and XLSForm: their conditions, and how they are read."""
