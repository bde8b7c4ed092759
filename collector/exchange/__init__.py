"""Import and export of surveys in other formats: SurveyJS, XLSForm, code books and DDI."""
