"""Tables of the types and keys of SurveyJS that a survey supports, with remedies for unsupported keys."""

KINDS = {
    "boolean": "yes_no",
    "radiogroup": "choice",
    "dropdown": "choice",
    "buttongroup": "choice",
    "rating": "scale",
    "slider": "number",
    "text": "number",
    "checkbox": "multiple",
    "tagbox": "multiple",
    "matrix": "grid",
    "ranking": "ranking",
    "imagepicker": "choice",
}
_MANY = ("it asks several questions of different kinds", "ask each by itself, or a matrix")
_TELLS = ("it tells who answers", "leave it out")
_WORDS = ("the page carries plain words only", "write it as description of the next question")
REFUSED_TYPES = {
    "comment": ("free text cannot be disguised", "ask a radiogroup with the answers that you expect"),
    "multipletext": ("free text cannot be disguised", "ask each text by itself, with inputType number and cut points"),
    "matrixdropdown": _MANY,
    "matrixdynamic": _MANY,
    "paneldynamic": ("nothing is asked several times", "write out as many questions as you need"),
    "html": _WORDS,
    "image": _WORDS,
    "imagemap": ("the page carries words only", "ask a radiogroup, with the choices in words"),
    "file": _TELLS,
    "signaturepad": _TELLS,
    "expression": ("nothing is computed from answers", "compute from the responses"),
}
_BEFORE = "no answer is chosen beforehand"
_COMPUTED = "nothing is computed from answers"
OFFERED = "every choice is offered to everybody"
_FREE = "free text cannot be disguised"
NEEDED_KEYS = {
    "visible": "a question that nobody sees is not asked",
    "readOnly": "it could not be answered",
    "enableIf": "every question that is shown can be answered",
    "choicesVisibleIf": OFFERED,
    "choicesEnableIf": OFFERED,
    "rowsVisibleIf": "every statement is shown to everybody",
    "columnsVisibleIf": OFFERED,
    "choicesByUrl": "the choices are elsewhere",
    "choicesFromQuestion": "the choices depend on an answer",
    "cells": "every statement has the same values",
}
"""Keys that a survey does not support, and without which a question cannot be asked. The question is left out."""
LEFT_KEYS = {
    "requiredIf": "whether an answer is needed does not depend on another",
    "defaultValue": _BEFORE,
    "defaultValueExpression": _BEFORE,
    "defaultRowValue": _BEFORE,
    "setValueIf": _COMPUTED,
    "setValueExpression": _COMPUTED,
    "resetValueIf": _COMPUTED,
    "minValueExpression": _COMPUTED,
    "maxValueExpression": _COMPUTED,
    "calculatedValues": _COMPUTED,
    "triggers": _COMPUTED,
    "validators": "an answer is checked by its kind and its limits alone",
    "showOtherItem": _FREE,
    "hasOther": _FREE,
    "showCommentArea": _FREE,
    "hasComment": _FREE,
}
"""Keys that a survey does not support. They alone are left out."""
OLDER = {
    "hasNone": "showNoneItem",
    "rowsOrder": "rowOrder",
    "isAllRowRequired": "eachRowRequired",
    "questions": "elements",
    "questionsOrder": "questionOrder",
}
"""Keys of older versions of SurveyJS, with their present names."""
ON_TOP = {
    "title",
    "description",
    "locale",
    "pages",
    "elements",
    "completedHtml",
    "questionOrder",
    "questionsOnPageMode",
}
ON_PANEL = {"type", "name", "elements", "title", "description", "visibleIf"}
ALWAYS = {"type", "name", "title", "description", "isRequired", "visibleIf"}
_CHOSEN = {"choices", "choicesOrder", "showNoneItem", "noneText", "showRefuseItem", "showDontKnowItem", "dontKnowText"}
_CHOSEN |= {"otherText", "refuseText"}
_RATED = {"rateMin", "rateMax", "rateStep", "rateCount", "rateValues", "minRateDescription", "maxRateDescription"}
READ = {
    "boolean": {"labelTrue", "labelFalse", "valueTrue", "valueFalse"},
    "rating": _RATED,
    "slider": {"min", "max", "step"},
    "text": {"inputType", "min", "max", "step"},
    "matrix": {"columns", "rows", "rowOrder", "eachRowRequired"},
    "checkbox": _CHOSEN | {"minSelectedChoices", "maxSelectedChoices"},
    "tagbox": _CHOSEN | {"minSelectedChoices", "maxSelectedChoices"},
    "ranking": {"choices", "choicesOrder"},
}
"""The supported keys of each type. Other types have those of `_CHOSEN`."""
READ |= dict.fromkeys(("radiogroup", "dropdown", "buttongroup"), _CHOSEN)
READ["imagepicker"] = READ["checkbox"] | {"multiSelect"}
LIMITS = {
    "numeric": {"minValue": "min", "maxValue": "max"},
    "answercount": {"minCount": "minSelectedChoices", "maxCount": "maxSelectedChoices"},
}
"""The supported validators, with the keys that mean the same."""
