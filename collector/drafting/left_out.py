"""Recognition of columns that are not questions, such as time stamps, coordinates and ids of survey programs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from collector.survey_file.naming import name_of
from collector.table.cell_words import MISSING, STAMP, are_yes_no, day_of
from collector.table.plain_table import Column, number_text

PLATFORM = frozenset(
    """
    collector_id collectorid datelastaction datestamp date_last_action date_started date_submitted deviceid device_id
    distributionchannel durationinseconds duration_in_seconds email email_address externaldatareference
    externalreference formhub_uuid instanceid interviewtime ip_address ipaddr ipaddress language_of_response last_page
    lastpage locationlatitude locationlongitude meta_instanceid phonenumber recipientemail recipientfirstname
    recipientlastname recordeddate record_id redcap_data_access_group redcap_event_name redcap_repeat_instance
    redcap_repeat_instrument redcap_survey_identifier referrer_url refurl respondent_id respondentid response_id
    responseid seed sim_serial simserial start_language startdate startlanguage subscriberid submission_time submitdate
    token total_time user_agent userlanguage username validation_status
    """.split()  # noqa: SIM905 - a list of words
)
"""Names of columns that Google Forms, KoBo, LimeSurvey, Qualtrics, REDCap and SurveyMonkey add."""
WITH_OTHERS = frozenset(
    "duration end enddate finished notes progress start status submitted_by tags today version".split()  # noqa: SIM905
)
"""Names that survey programs add, and that a question may have too."""
FEWEST_OTHERS = 2  # number of columns in `PLATFORM` that identifies a table from such a program
PAGES = re.compile(r"(group|question)_time_.*|.*_timestamp|redcap_.*")
COMPLETE = re.compile(r".*_complete")  # pattern of the column that REDCap adds for each instrument
PLACE = re.compile(r"(.*_)?(lat|latitude|lon|lng|long|longitude|gps|geopoint|geolocation|coordinates|altitude)(_.*)?")
POINT = re.compile(r"-?[0-9]{1,3}\.[0-9]{3,}")
GEOPOINT = re.compile(r"-?[0-9]{1,3}\.[0-9]+[ ,;]+-?[0-9]{1,3}\.[0-9]+([ ,;]+-?[0-9.]+){0,2}")
OTHER_DAY = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1([0-9]{4}|[0-9]{2})")
PERCENT = re.compile(r"-?[0-9]+([.,][0-9]+)? ?%")
MOST_DEGREES = 180


def added_by_platform(columns: Sequence[Column]) -> frozenset[str]:
    """Return the names of the columns that a survey program added to the answers."""
    names = {each.name: name_of(each.heading.replace("/", "_").strip("_"), 1) for each in columns}
    sure = {name for name, plain in names.items() if plain in PLATFORM or PAGES.fullmatch(plain)}
    sure |= {each.name for each in columns if each.heading.startswith("_") and names[each.name] in WITH_OTHERS}
    if len(sure) >= FEWEST_OTHERS:
        sure |= {name for name, plain in names.items() if plain in WITH_OTHERS}
    if any(plain == "record_id" or plain.startswith("redcap_") for plain in names.values()):
        sure |= {name for name, plain in names.items() if COMPLETE.fullmatch(plain)}
    return frozenset(sure)


def reason_without_question(column: Column, columns: Sequence[Column]) -> str | None:
    """Return why the cells of a column cannot be answers, with a remedy, or None if they can."""
    cells = {cell for cell in column.cells if cell not in MISSING}
    if not cells:
        return "every cell is empty or stands for no answer"
    ticked = len(cells) == 1 and any(cell in MISSING for cell in column.cells) and not are_yes_no(cells)
    again = sum(each.heading.startswith(f"{column.heading}/") for each in columns) > 1
    stamps, days = all(map(STAMP.fullmatch, cells)), all(map(day_of, cells))
    point = all(map(GEOPOINT.fullmatch, cells)) or (bool(PLACE.fullmatch(column.name)) and _are_degrees(cells))
    reasons = {
        "it has one value and empty cells, as a ticked option has; if so, write no in these, then draft again": ticked,
        f"the columns {column.heading}/... say the same, an option each": again,
        "its numbers end in %; write them without, then draft again": all(map(PERCENT.fullmatch, cells)),
        "it holds the time of each response, by which a person may be known; to ask for days, write the day alone in "
        "each cell, such as 2026-12-31, then draft again": stamps and not days,
        "it holds coordinates, by which a person may be known; to ask for a region, write its name in each cell": point,
        "its days can be read in two ways, as 3/4 may be in March or April; to ask for days, write year, month and day "
        "in each cell, such as 2026-12-31, then draft again": all(map(OTHER_DAY.fullmatch, cells)),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _are_degrees(cells: Collection[str]) -> bool:
    """Return whether cells are exact geographic coordinates in degrees."""
    fine = sum(map(bool, map(POINT.fullmatch, cells)))
    return 2 * fine > len(cells) and all(abs(float(number_text(cell) or "nan")) <= MOST_DEGREES for cell in cells)
