"""Import and export of surveys in the formats of other programs: SurveyJS, XLSForm, code books and DDI."""
