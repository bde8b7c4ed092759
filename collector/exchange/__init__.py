"""Surveys in other programs' formats, in and out: SurveyJS, XLSForm, code books and DDI."""
