"""The opening and closing times of a survey: days or moments with a time zone."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from collector.errors import SurveyError

Moment = date | datetime
"""A day, or a moment with an offset from UTC or in the time zone of the study."""
NO_PLACES = ("localtime", "Factory", "posixrules")
"""Names in the IANA database that do not denote the same time zone on every machine."""
REMEDY = "write a day or a moment, such as 2026-12-31 or 2026-12-31T18:00:00"


def zone_of(name: str | None) -> tzinfo:
    """Return the time zone with an IANA name, or UTC if the name is None.

    Raises:
        SurveyError: If no time zone has the name.
    """
    try:
        return UTC if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SurveyError(
            "study, timezone", "there is no such time zone", 'write a time zone such as "Europe/Berlin"'
        ) from None


def instant(moment: Moment, zone: tzinfo, *, end: bool = False) -> float:
    """Return the instant of a day or a moment in seconds since 1970.

    Args:
        moment: Day or moment.
        zone: Time zone that is used for days and for moments without an offset.
        end: Whether to return the end of a day instead of the beginning.
    """
    if isinstance(moment, datetime):
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    begin = datetime.combine(moment, time(), UTC)
    if end and moment == date.max:
        return begin.timestamp() + 86_400
    begin += timedelta(days=int(end))
    return begin.replace(tzinfo=zone).timestamp()  # a day of 23 or 25 hours ends where the next begins


def in_words(moment: Moment | None, zone: str | None) -> str:
    """Return a day or a moment as text, with its time zone or its offset."""
    own = isinstance(moment, datetime) and moment.tzinfo is not None
    return str(moment) if own else f"{moment} ({zone or 'UTC'})"


def check_once(moment: Moment | None, zone: str | None, place: str) -> None:
    """Check that a moment exists exactly once in its time zone, and that the time zone belongs to a place on Earth.

    Raises:
        SurveyError: If the time zone changes its clocks so that the moment does not exist or exists twice.
    """
    if zone in NO_PLACES:
        raise SurveyError(
            "study, timezone", f'"{zone}" is no zone of a place', 'write a time zone such as "Europe/Berlin"'
        )
    if not isinstance(moment, datetime) or moment.tzinfo is not None or zone is None:
        return
    readings = [moment.replace(tzinfo=zone_of(zone), fold=fold) for fold in (0, 1)]
    if readings[0].utcoffset() == readings[1].utcoffset():
        return
    shown = [each.astimezone(UTC).astimezone(each.tzinfo) for each in readings]
    comes = shown[0].replace(tzinfo=None, fold=0) == moment
    problem = "comes twice, because the clocks go back" if comes else "never comes, because the clocks go forward"
    first, second = (each.isoformat() for each in sorted(shown, key=datetime.timestamp))
    raise SurveyError(place, f"{moment.isoformat()} {problem} in {zone}", f"write {first} or {second}")


def check_moment(moment: Moment | None, zone: str | None, place: str) -> None:
    """Check that a moment has a time zone or an offset.

    Raises:
        SurveyError: If the moment has no time zone and no offset.
    """
    if isinstance(moment, datetime) and moment.tzinfo is None and zone is None:
        remedy = 'add timezone = "Europe/Berlin", or an offset, such as 2026-12-31T18:00:00+01:00'
        raise SurveyError(place, "the time has no time zone", remedy)


def moment_of(text: str, place: str) -> Moment:
    """Return the moment that an ISO 8601 text describes.

    Raises:
        SurveyError: If the text is not valid.
    """
    kind = datetime if "T" in text else date
    try:
        moment = kind.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.isoformat() != text:
        raise SurveyError(place, "the value is neither a day nor a time", REMEDY)
    return moment


def read_moment(value: object, place: str) -> Moment | None:
    """Return a moment of a survey file, which may be a TOML date, a TOML date with time, or ISO 8601 text.

    Raises:
        SurveyError: If the moment is not valid.
    """
    if value is None or isinstance(value, date):
        return value
    if isinstance(value, str):
        return moment_of(value, place)
    raise SurveyError(place, "the value is neither a day nor a time", REMEDY)
